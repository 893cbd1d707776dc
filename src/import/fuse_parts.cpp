// Padding and slices. Both passes save RAM in the schedule: a padded copy of an image need not
// exist, and the parts of a split have one gradient together, where each slice by itself has one as
// large as the whole tensor.

#include <algorithm>

#include "import/fuse.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

using List = std::vector<std::int64_t>;

bool pads_zeros(const OnnxGraph& graph, const OnnxNode& pad) {
  const std::string mode = pad.text("mode");
  const bool is_constant = mode.empty() || mode == "constant";
  return is_constant && (pad.input(2) < 0 || graph.at(pad.input(2)).number() == 0.0) &&
         pad.number("value", 0) == 0 && pad.input(3) < 0;
}

/// The pads of a window and of the padding before it in one; empty if they do not go together.
List joined_pads(const OnnxNode& window, const List& outer, std::size_t rank) {
  const bool is_plain = window.text("auto_pad").empty() || window.text("auto_pad") == "NOTSET";
  if (!is_plain || outer.size() != 2 * rank) return {};
  const std::size_t axes = rank - 2;
  List pads = window.integers("pads");
  if (pads.empty()) pads.assign(2 * axes, 0);
  if (pads.size() != 2 * axes) return {};
  for (std::size_t i = 0; i < rank; ++i) {
    const bool is_batch = i < 2;
    if (is_batch && (outer[i] != 0 || outer[i + rank] != 0)) return {};
    if (is_batch) continue;
    if (outer[i] < 0 || outer[i + rank] < 0) return {};
    pads[i - 2] += outer[i];
    pads[i - 2 + axes] += outer[i + rank];
  }
  return pads;
}

/// A slice along one axis, of a tensor that is as long as `extent` there.
struct OnePart {
  std::size_t node;
  std::int64_t axis, start, size, extent;
};

// A slice of another kind is left as it is, and with it the other slices of its tensor, which are
// not whole without it.
std::vector<OnePart> one_part(const OnnxGraph& graph, std::size_t index) {
  const OnnxNode& node = graph.nodes[index];
  const List starts = whole_numbers(graph, node, 1, "starts");
  List axes = whole_numbers(graph, node, 3, "axes");
  const List steps = whole_numbers(graph, node, 4, "steps");
  const Shape& in = graph.at(node.input(0)).shape;
  const bool has_steps = std::any_of(steps.begin(), steps.end(), [](auto s) { return s != 1; });
  if (starts.size() != 1 || axes.size() != 1 || has_steps) return {};
  const std::int64_t axis = axes[0] < 0 ? axes[0] + static_cast<std::int64_t>(in.size()) : axes[0];
  if (axis < 0 || axis >= static_cast<std::int64_t>(in.size())) return {};
  const std::int64_t start = starts[0] < 0 ? starts[0] + in[axis] : starts[0];
  return {{index, axis, start, graph.at(node.output(0)).shape.at(axis), in[axis]}};
}

/// Whether sorted parts follow each other and leave nothing.
bool are_whole(const std::vector<OnePart>& parts) {
  std::int64_t next = 0;
  for (const OnePart& part : parts) {
    if (part.axis != parts[0].axis || part.start != next || part.size < 1) return false;
    next += part.size;
  }
  return parts.size() > 1 && next == parts[0].extent;
}

}  // namespace

/// ONNX lists pads as all beginnings and then all ends. MaxPool is left out, as its own padding
/// never wins a maximum and a zero may. In a mean, explicit zeros count, hence count_include_pad.
void fuse_padding(OnnxGraph& graph) {
  const OnnxLinks links(graph);
  for (OnnxNode& node : graph.nodes) {
    const bool is_window = node.op == "Conv" || node.op == "AveragePool";
    const OnnxNode* const pad = is_window ? links.maker(node.input(0), "Pad") : nullptr;
    if (pad == nullptr || !pads_zeros(graph, *pad)) continue;
    // A mean that leaves out its own padding has to count the padding of the node before it.
    const List own = node.integers("pads");
    const bool has_own = std::any_of(own.begin(), own.end(), [](auto each) { return each != 0; });
    const bool leaves_out =
        node.op == "AveragePool" && (node.integer("ceil_mode", 0) != 0 ||
                                     (has_own && node.integer("count_include_pad", 0) == 0));
    if (leaves_out) continue;
    const List outer = whole_numbers(graph, *pad, 1, "pads");
    const List pads = joined_pads(node, outer, graph.at(pad->input(0)).shape.size());
    if (pads.empty()) continue;
    node.attributes["pads"].integers = pads;
    if (node.op == "AveragePool") node.attributes["count_include_pad"].integer = 1;
    node.inputs[0] = pad->input(0);
  }
  remove_unread_nodes(graph);
}

/// chunk() and split() of PyTorch come as several slices of one tensor. The Split stands where the
/// first of them was: its input is there by then, and all readers come later.
void fuse_slices(OnnxGraph& graph) {
  std::map<int, std::vector<OnePart>> parts;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].op != "Slice") continue;
    for (const OnePart& part : one_part(graph, i)) parts[graph.nodes[i].input(0)].push_back(part);
  }
  for (auto& [tensor, list] : parts) {
    std::sort(list.begin(), list.end(),
              [](const OnePart& a, const OnePart& b) { return a.start < b.start; });
    if (!are_whole(list)) continue;
    OnnxNode split{.op = "Split", .name = graph.nodes[list[0].node].name, .inputs = {tensor}};
    split.attributes["axis"].integer = list[0].axis;
    std::size_t first = list[0].node;
    for (const OnePart& part : list) {
      split.outputs.push_back(graph.nodes[part.node].output(0));
      first = std::min(first, part.node);
      graph.nodes[part.node].outputs = {-1};
    }
    graph.nodes[first] = std::move(split);
  }
  remove_unread_nodes(graph);
}

}  // namespace poet
