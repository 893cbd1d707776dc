// Hundreds of tensors cannot have a colour each. Those that cover most of the chart (bytes times
// columns) matter most to whoever asks where the RAM goes, so they get the colours; the rest are
// two grey bands.

#include "pictures/stack.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "pictures/schedule_style.hpp"

namespace poet::plot {
namespace {

/// How much of the chart a tensor covers. A double: bytes times columns may leave 64 bits.
double area(const Node& node, const Life& life) {
  int columns = 0;
  for (const Stay& stay : life.stays) columns += stay.last - stay.first + 1;
  return static_cast<double>(node.bytes) * columns;
}

/// The nodes that get a band of their own, in the order of the network.
std::vector<int> choose_named(const Graph& graph, const ScheduleTimeline& timeline) {
  std::vector<double> areas;
  areas.reserve(graph.nodes.size());
  for (int i = 0; i < graph.size(); ++i) areas.push_back(area(graph.nodes[i], timeline.lives[i]));
  std::vector<int> nodes(graph.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) { return areas[a] > areas[b]; });
  if (nodes.size() > kBandStyles) nodes.resize(kBandStyles);
  std::erase_if(nodes, [&](int i) { return areas[i] == 0; });
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<int> others(const Graph& graph, const std::vector<int>& named, bool backward) {
  std::vector<int> result;
  for (int i = 0; i < graph.size(); ++i) {
    const bool is_named = std::binary_search(named.begin(), named.end(), i);
    if (!is_named && graph.nodes[i].backward == backward) result.push_back(i);
  }
  return result;
}

std::vector<Bytes> bytes_by_column(const Graph& graph, const ScheduleTimeline& timeline,
                                   const std::vector<int>& nodes) {
  std::vector<Bytes> bytes(timeline.columns.size(), 0);
  for (const int node : nodes) {
    for (const Stay& stay : timeline.lives[node].stays) {
      for (int c = stay.first; c <= stay.last; ++c) bytes[c] += graph.nodes[node].bytes;
    }
  }
  return bytes;
}

/// What computations hold besides tensors.
std::vector<Bytes> workspace_by_column(const Graph& graph, const ScheduleTimeline& timeline) {
  std::vector<Bytes> bytes;
  bytes.reserve(timeline.columns.size());
  for (const RamSample& column : timeline.columns) {
    bytes.push_back(graph.nodes[column.node].workspace_bytes);
  }
  return bytes;
}

}  // namespace

Stack make_stack(const Graph& graph, const ScheduleTimeline& timeline) {
  Stack stack;
  stack.classes.resize(graph.nodes.size());
  const auto add = [&](int node, std::string name, const std::string& css_class,
                       const std::vector<int>& members) {
    stack.bands.push_back({.node = node,
                           .name = std::move(name),
                           .css_class = css_class,
                           .bytes = bytes_by_column(graph, timeline, members)});
    for (const int member : members) stack.classes[member] = css_class;
  };
  const std::vector<int> named = choose_named(graph, timeline);
  for (std::size_t k = 0; k < named.size(); ++k) {
    add(named[k], graph.nodes[named[k]].name, band_class(k), {named[k]});
  }
  for (const bool backward : {false, true}) {
    const std::vector<int> rest = others(graph, named, backward);
    if (rest.empty()) continue;
    add(-1,
        fmt::format("{} more {} tensor{}", rest.size(), backward ? "backward" : "forward",
                    rest.size() == 1 ? "" : "s"),
        backward ? kRestBackwardClass : kRestClass, rest);
  }
  std::vector<Bytes> workspace = workspace_by_column(graph, timeline);
  if (std::any_of(workspace.begin(), workspace.end(), [](Bytes bytes) { return bytes > 0; })) {
    stack.bands.push_back(
        {.name = "workspace", .css_class = kWorkspaceClass, .bytes = std::move(workspace)});
  }
  return stack;
}

}  // namespace poet::plot
