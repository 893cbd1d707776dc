#include "pictures/layer_kinds.hpp"

#include <map>
#include <string_view>

namespace poet::plot {
namespace {

/// `conv1` of `grad(conv1)` and of `grad(conv1 by conv2)`; empty for another form.
std::string_view layer_of(std::string_view name) {
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {};
  name = name.substr(open + 1, name.size() - open - 2);
  return name.substr(0, name.find(" by "));
}

}  // namespace

std::vector<std::string> layer_kinds(const Graph& graph) {
  std::map<std::string_view, std::string_view> ops;
  for (const Node& node : graph.nodes) {
    if (!node.backward) ops.emplace(node.name, node.op);
  }
  std::vector<std::string> kinds;
  kinds.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    std::string_view kind = node.op;
    if (node.backward) {
      const auto layer = ops.find(layer_of(node.name));
      kind = layer != ops.end() ? layer->second : kind.substr(0, kind.find("_grad"));
    }
    kinds.emplace_back(kind);
  }
  return kinds;
}

}  // namespace poet::plot
