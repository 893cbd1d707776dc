// Hundreds of tensors cannot have a colour each. Of a few dozen, those that cover most of the chart
// (bytes times columns) matter most to whoever asks where the RAM goes, so they get the colours. Of
// more than that, the question is which layers it goes to. The bands add up to what the replay
// counts, to the byte: all that has no colour is in a band of the rest.

#include "pictures/stack.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text/figures.hpp"
#include "pictures/schedule_style.hpp"

namespace poet::plot {
namespace {

/// How much of the chart a tensor covers. A double: bytes times columns may leave 64 bits.
double area(const Node& node, const Life& life) {
  int columns = 0;
  for (const Stay& stay : life.stays) columns += stay.last - stay.first + 1;
  return static_cast<double>(node.bytes) * columns;
}

std::vector<int> nodes_of_pass(const Graph& graph, bool backward) {
  std::vector<int> nodes;
  for (int i = 0; i < graph.size(); ++i) {
    if (graph.nodes[i].backward == backward) nodes.push_back(i);
  }
  return nodes;
}

/// The nodes of a pass that get a band of their own, in the order of the nodes.
/// Chosen by area and listed by node, which puts what lives longest at the bottom.
std::vector<int> choose_named(const Graph& graph, const ScheduleTimeline& timeline,
                              std::vector<int> nodes) {
  const auto covers = [&](int i) { return area(graph.nodes[i], timeline.lives[i]); };
  std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) { return covers(a) > covers(b); });
  if (nodes.size() > kBandColours) nodes.resize(kBandColours);
  std::erase_if(nodes, [&](int i) { return covers(i) == 0; });
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// The kinds that get a colour: those with most bytes, by their own rank. Ranks do not depend on
/// the schedule.
std::vector<std::string> choose_kinds(const Graph& graph, const std::vector<std::string>& kinds) {
  std::map<std::string, Bytes> bytes;
  std::vector<std::string> order;  // of appearance
  for (int i = 0; i < graph.size(); ++i) {
    if (!bytes.contains(kinds[i])) order.push_back(kinds[i]);
    bytes[kinds[i]] += graph.nodes[i].bytes;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const std::string& a, const std::string& b) { return bytes[a] > bytes[b]; });
  if (order.size() > kBandColours) order.resize(kBandColours);
  return order;
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

/// Puts a stack together, band by band.
class StackBuilder {
 public:
  StackBuilder(const Graph& graph, const ScheduleTimeline& timeline)
      : graph_(graph), timeline_(timeline) {
    stack_.classes.resize(graph.nodes.size());
  }

  void add_tensors() {
    std::vector<std::vector<int>> rest;
    for (const bool backward : {false, true}) {
      std::vector<int> nodes = nodes_of_pass(graph_, backward);
      const std::vector<int> named = choose_named(graph_, timeline_, nodes);
      for (std::size_t k = 0; k < named.size(); ++k) {
        const int node = named[k];
        add(node, graph_.nodes[node].name, band_class(k, backward), {node});
      }
      std::erase_if(nodes,
                    [&](int i) { return std::binary_search(named.begin(), named.end(), i); });
      rest.push_back(std::move(nodes));
    }
    for (const bool backward : {false, true}) add_rest(rest[backward ? 1 : 0], backward);
  }

  void add_kinds() {
    stack_.by_kind = true;
    const std::vector<std::string> kinds = layer_kinds(graph_);
    const std::vector<std::string> chosen = choose_kinds(graph_, kinds);
    for (const bool backward : {false, true}) {
      std::vector<int> nodes = nodes_of_pass(graph_, backward);
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const auto other = std::stable_partition(nodes.begin(), nodes.end(),
                                                 [&](int i) { return kinds[i] == chosen[k]; });
        const std::vector<int> members(nodes.begin(), other);
        nodes.erase(nodes.begin(), other);
        if (!members.empty()) add(-1, chosen[k], band_class(k, backward), members);
      }
      if (!nodes.empty()) add(-1, "other kinds", rest_class(backward), nodes);
    }
  }

  void add_workspace() {
    std::vector<Bytes> workspace = workspace_by_column(graph_, timeline_);
    if (std::all_of(workspace.begin(), workspace.end(), [](Bytes bytes) { return bytes == 0; })) {
      return;
    }
    stack_.bands.push_back(
        {.name = "workspace", .css_class = kWorkspaceClass, .bytes = std::move(workspace)});
  }

  Stack take() { return std::move(stack_); }

 private:
  void add(int node, std::string name, const std::string& css_class,
           const std::vector<int>& members) {
    stack_.bands.push_back({.node = node,
                            .name = std::move(name),
                            .css_class = css_class,
                            .bytes = bytes_by_column(graph_, timeline_, members)});
    for (const int member : members) stack_.classes[member] = css_class;
  }

  // The rest lies above all that have a colour: its outline is ragged and would shake what is on
  // top of it.
  void add_rest(const std::vector<int>& nodes, bool backward) {
    if (nodes.empty()) return;
    add(-1, counted(nodes.size(), backward ? "more backward tensor" : "more forward tensor"),
        rest_class(backward), nodes);
  }

  static const char* rest_class(bool backward) {
    return backward ? kRestBackwardClass : kRestClass;
  }

  const Graph& graph_;
  const ScheduleTimeline& timeline_;
  Stack stack_;
};

/// `conv1` of `grad(conv1)` and of `grad(conv1 by conv2)`; empty for another form.
std::string_view layer_of(std::string_view name) {
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {};
  name = name.substr(open + 1, name.size() - open - 2);
  return name.substr(0, name.find(" by "));
}

}  // namespace

// By names, because a graph in a schedule file has no other tie between a gradient and its layer.
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

Stack make_stack(const Graph& graph, const ScheduleTimeline& timeline) {
  StackBuilder builder(graph, timeline);
  if (graph.size() > kMostByTensor) {
    builder.add_kinds();
  } else {
    builder.add_tensors();
  }
  builder.add_workspace();
  return builder.take();
}

}  // namespace poet::plot
