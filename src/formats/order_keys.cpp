// What schedule files state about the order of their nodes. A file in the given order says nothing
// about it, so that it is the file that it always was. The three keys come together or not at all,
// as each is checked against the others.

#include "formats/order_keys.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "formats/json/json_fields.hpp"

namespace poet {
namespace {

bool is_digest(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

// Each mistake has the place of its entry, as orders are lists of hundreds of numbers.
void check_order_list(const JsonCursor& list, const NodeOrder& order, int node_count) {
  if (static_cast<int>(order.size()) != node_count) {
    list.fail(fmt::format("found {} nodes; expected each of {}", order.size(), node_count));
  }
  const std::vector<JsonCursor> entries = list.elements(kMaxListLength);
  std::vector<int> place(order.size(), -1);
  for (int p = 0; p < node_count; ++p) {
    const int node = order[p];
    if (node < 0 || node >= node_count) {
      entries[p].fail(fmt::format("found {}; expected a node, 0 to {}", node, node_count - 1));
    }
    if (place[node] >= 0) {
      entries[p].fail(fmt::format("found node {} a second time, after place {}; expected each once",
                                  node, place[node]));
    }
    place[node] = p;
  }
  // One schedule has one form of its file, so the given order is not written as a chosen one.
  if (std::is_sorted(order.begin(), order.end())) {
    list.fail("found the given order; expected another one, or no such key");
  }
}

/// The digests are only looked at here; verify computes them again from the nodes and their order.
void check_order_keys(const JsonCursor& model, const ModelInfo& info, int node_count) {
  constexpr std::array<const char*, 3> kKeys{"order", "graph_sha256", "order_sha256"};
  std::array<std::optional<JsonCursor>, kKeys.size()> members;
  const char* there = nullptr;
  const char* missing = nullptr;
  for (std::size_t k = 0; k < kKeys.size(); ++k) {
    members[k] = model.optional(kKeys[k]);
    (members[k] ? there : missing) = kKeys[k];
  }
  if (there == nullptr) return;
  if (missing != nullptr) {
    model.fail(
        fmt::format("found '{}' without '{}'; expected all of order, graph_sha256 and "
                    "order_sha256, or none",
                    there, missing));
  }
  check_order_list(*members[0], info.order, node_count);
  for (std::size_t k = 1; k < kKeys.size(); ++k) {
    if (!is_digest(members[k]->string())) {
      members[k]->fail_expecting("a SHA-256, 64 hexadecimal digits in lower case");
    }
  }
}

// Choices of buffers belong to a search over orders: in the given order, the graph's own one
// stands.
void refuse_choices(const JsonCursor& nodes, const Graph& graph) {
  const std::vector<JsonCursor> entries = nodes.elements(kMaxListLength);
  for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
    if (graph.nodes[k].in_place_choices.empty()) continue;
    entries[k]
        .required("in_place_choices")
        .fail(
            "found choices in a file in the given order, in which nothing is chosen; expected "
            "'order' in its 'model', or no such key");
  }
}

}  // namespace poet
