// ONNX has one node for a whole recurrence, with time as the first extent and directions as the
// second; our layers have the batch first. So each direction becomes a node with transpositions
// around it. PyTorch's exports have transpositions of their own there, and each pair is removed by
// the next pass over idle nodes, which is why this one comes early. The steps are taken apart
// later, in map_recurrence.cpp, where layers are made.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "import/fuse.hpp"
#include "import/match.hpp"
#include "model/shape.hpp"

namespace poet {
namespace {

int new_tensor(OnnxGraph& graph, const std::string& name, Shape shape) {
  graph.tensors.push_back({.name = name, .shape = std::move(shape)});
  return static_cast<int>(graph.tensors.size()) - 1;
}

OnnxNode transposed(const std::string& name, int from, int to) {
  OnnxNode node{.op = "Transpose", .name = name, .inputs = {from}, .outputs = {to}};
  node.attributes["perm"].integers = {1, 0, 2};
  return node;
}

/// Whether all sequences are as long as the tensor.
bool are_whole(const OnnxGraph& graph, int lengths, std::int64_t steps) {
  if (lengths < 0) return true;
  const auto& values = graph.at(lengths).values;
  return values && std::all_of(values->begin(), values->end(),
                               [&](double length) { return length == static_cast<double>(steps); });
}

/// ONNX has time first and an extent for directions. Each direction becomes a node with the batch
/// first, which gives the states of all steps, and the last ones as N, H.
class Parts {
 public:
  Parts(OnnxGraph& graph, const OnnxNode& node, std::vector<OnnxNode>& nodes)
      : graph_(graph),
        node_(node),
        nodes_(nodes),
        in_(graph.at(node.input(0)).shape),
        width_(node.integer("hidden_size", 0)),
        is_lstm_(node.op == "LSTM") {}

  void take_apart() {
    const std::string direction = node_.text("direction");
    const bool is_both = direction == "bidirectional";
    x_ = add("/x", {in_[1], in_[0], in_[2]});
    nodes_.push_back(transposed(node_.name + "/batch_first", node_.input(0), x_));
    add_direction(node_.name, 0, direction == "reverse");
    if (is_both) add_direction(node_.name + "/reverse", 1, true);
    give(steps_, node_.output(0), 1);
    give(h_, node_.output(1), 0);
    give(c_, node_.output(2), 0);
  }

 private:
  int add(const std::string& what, Shape shape) {
    return new_tensor(graph_, node_.name + what, std::move(shape));
  }

  void add_direction(const std::string& name, std::int64_t direction, bool is_reverse) {
    const int y = add("/y", {in_[1], in_[0], width_});
    const int h = add("/h", {in_[1], width_});
    const int c = is_lstm_ ? add("/c", {in_[1], width_}) : -1;
    OnnxNode part{.op = is_lstm_ ? ".lstm" : ".gru",
                  .name = name,
                  .inputs = node_.inputs,
                  .outputs = {y, h, c}};
    part.inputs[0] = x_;
    part.attributes["direction_index"].integer = direction;
    part.attributes["is_reverse"].integer = is_reverse ? 1 : 0;
    part.attributes["reset_after"].integer = node_.integer("linear_before_reset", 0);
    nodes_.push_back(std::move(part));
    if (node_.output(0) >= 0) {
      const int steps = add("/steps", {in_[0], in_[1], width_});
      nodes_.push_back(transposed(name + "/time_first", y, steps));
      steps_.push_back(steps);
    }
    h_.push_back(h);
    c_.push_back(c);
  }

  /// Puts an extent for directions around what each direction makes.
  void give(const std::vector<int>& parts, int out, std::size_t axis) {
    if (out < 0) return;
    std::vector<int> with_extent;
    for (const int part : parts) {
      Shape shape = graph_.at(part).shape;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
      with_extent.push_back(parts.size() == 1 ? out : add("/direction", std::move(shape)));
      nodes_.push_back({.op = "Unsqueeze",
                        .name = node_.name + "/direction",
                        .inputs = {part},
                        .outputs = {with_extent.back()}});
    }
    if (parts.size() == 1) return;
    OnnxNode both{.op = "Concat",
                  .name = node_.name + "/directions",
                  .inputs = std::move(with_extent),
                  .outputs = {out}};
    both.attributes["axis"].integer = static_cast<std::int64_t>(axis);
    nodes_.push_back(std::move(both));
  }

  OnnxGraph& graph_;
  const OnnxNode node_;
  std::vector<OnnxNode>& nodes_;
  const Shape in_;
  const std::int64_t width_;
  const bool is_lstm_;
  int x_ = -1;
  std::vector<int> steps_, h_, c_;
};

bool are_zeros(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return number == 0; });
}

/// Whether the activations of all directions are those without the attribute.
bool has_usual_activations(const OnnxNode& node) {
  if (node.has("activation_alpha") || node.has("activation_beta")) return false;
  if (!node.has("activations")) return true;
  const std::vector<std::string> one = node.op == "LSTM"
                                           ? std::vector<std::string>{"sigmoid", "tanh", "tanh"}
                                           : std::vector<std::string>{"sigmoid", "tanh"};
  const std::vector<std::string>& found = node.attributes.at("activations").texts;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (in_lower_case(found[i]) != one[i % one.size()]) return false;
  }
  return true;
}

}  // namespace

std::string fault_of_recurrence(const OnnxGraph& graph, const OnnxNode& node) {
  node.forget();
  if (node.op != "LSTM" && node.op != "GRU") {
    return "no layer stands for a plain recurrence; expected LSTM or GRU";
  }
  if (node.input(0) < 0 || graph.at(node.input(0)).shape.size() != 3) {
    return "its input is not a sequence; expected time, batch and features";
  }
  if (node.integer("layout", 0) != 0) {
    return "its layout is 1, batch first; expected 0, time first, with a Transpose around it";
  }
  if (!are_whole(graph, node.input(4), graph.at(node.input(0)).shape[0])) {
    return "it has sequences of lengths of their own (sequence_lens); expected all of them as long "
           "as the tensor: --set gives a graph's input of lengths that number";
  }
  const auto peepholes = node.input(7) < 0 ? std::nullopt : graph.at(node.input(7)).known();
  const bool has_none = node.input(7) < 0 || (peepholes && are_zeros(*peepholes));
  if (node.op == "LSTM" && !has_none) return "it has peepholes (P); expected none";
  if (node.integer("input_forget", 0) != 0) return "found input_forget 1; expected 0";
  if (node.has("clip")) return "it clips its gates (clip); expected no clip";
  if (!has_usual_activations(node)) {
    return "it states activations; expected the usual ones, sigmoid and tanh";
  }
  const std::string direction = node.text("direction");
  if (!direction.empty() && direction != "forward" && direction != "reverse" &&
      direction != "bidirectional") {
    return fmt::format("found the direction '{}'; expected forward, reverse or bidirectional",
                       printable(direction));
  }
  static_cast<void>(node.integer("linear_before_reset", 0));
  static_cast<void>(node.integer("hidden_size", 0));
  for (std::size_t i = 1; i < 7; ++i) static_cast<void>(node.input(i));
  return node.unread().empty() ? "" : fmt::format("found {}; expected none", node.unread());
}

void fuse_recurrence(OnnxGraph& graph) {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxNode> before = std::move(graph.nodes);
  for (OnnxNode& node : before) {
    const bool is_known = node.op == "LSTM" || node.op == "GRU";
    if (is_known && fault_of_recurrence(graph, node).empty()) {
      Parts(graph, node, nodes).take_apart();
    } else {
      nodes.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(nodes);
}

}  // namespace poet
