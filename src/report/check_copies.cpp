// What a file states of its copies, against its nodes. The bytes and costs of a copy follow from
// the model alone, which a graph's digest is compared with.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/exact/copy_nodes.hpp"
#include "report/claim.hpp"
#include "report/fields.hpp"

namespace poet {

void check_copies(std::vector<std::string>& found, const ScheduleFile& file) {
  if (file.model.backward != name_of(Backward::exact)) {
    if (file.model.copies != Copies()) {
      found.emplace_back("model.copies: found in a file whose backward pass is not exact");
    }
    return;
  }
  const std::string_view op = file.model.copies.mode == CopyMode::int8 ? kBytesOp : kBitsOp;
  std::vector<std::string> left = file.model.copies.tensors;
  for (const Node& node : file.graph.nodes) {
    if (node.op != kBytesOp && node.op != kBitsOp) continue;
    const bool is_copy = node.op == op && node.inputs.size() == 1;
    const auto stated =
        is_copy ? std::find(left.begin(), left.end(), file.graph.nodes[node.inputs.front()].name)
                : left.end();
    if (stated == left.end()) {
      found.push_back(fmt::format("model.copies: node '{}' is a copy that is not stated",
                                  printable(node.name)));
    } else {
      left.erase(stated);
    }
  }
  for (const std::string& name : left) {
    found.push_back(fmt::format("model.copies: no node is a copy of '{}'", printable(name)));
  }
}

}  // namespace poet
