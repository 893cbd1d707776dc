// From nodes to layers, one by one and in the order of the file, which is topological. Patterns
// have been put together before, so a node is one layer or a few. The loss comes last, as a file
// has none: a training step needs one, and what it compares decides what its gradient reads. A
// softmax at the end of a network is a part of its cross entropy.

#include "import/to_layers.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "import/layer_maps.hpp"
#include "import/layer_names.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// The nodes of an op that no layer stands for.
struct RefusedOp {
  std::vector<std::string> nodes;
  std::set<std::string> reasons;
};

/// Goes on after a node that no layer stands for, and leaves out what depends on it: a network with
/// ten such nodes takes one run to find them out, not ten.
class Conversion {
 public:
  Conversion(const OnnxGraph& graph, const ImportRequest& request)
      : graph_(graph), request_(request), layers_(graph, map_form) {}

  LayerList& run() {
    check_custom_ops();
    for (const OnnxNode& node : graph_.nodes) convert(node);
    if (!refused_.empty()) throw InputError(refusal());
    return layers_;
  }

 private:
  static void map_form(LayerList& layers, const OnnxNode& node) {
    const LayerMap map = find_layer_map(node.op);
    if (map == nullptr) {
      throw InputError(fmt::format("no layer stands for {} of a weight", printable(node.op)));
    }
    map(layers, node);
  }

  void check_custom_ops() const {
    std::set<std::string_view> ops;
    for (const OnnxNode& node : graph_.nodes) ops.insert(node.op);
    for (const auto& [op, flops] : request_.custom) {
      if (ops.contains(op)) continue;
      throw InputError(
          fmt::format("--custom: no node has the op '{}'; expected one of {}{}", printable(op),
                      fmt::join(ops, ", "),
                      did_you_mean(op, std::vector<std::string_view>(ops.begin(), ops.end()))));
    }
  }

  void convert(const OnnxNode& node) {
    const bool follows = std::any_of(node.inputs.begin(), node.inputs.end(),
                                     [&](int tensor) { return lost_.contains(tensor); });
    std::string reason =
        node.fault.empty() ? "no layer stands for it" : "no layer has " + node.fault;
    if (!follows) {
      try {
        if (const LayerMap map = find_layer_map(node.op)) {
          node.forget();
          map(layers_, node);
          if (node.has("differs")) layers_.differs(node.text("differs"));
          if (node.op.starts_with('.') || node.unread().empty()) return;
          throw InputError("no layer has " + node.unread());
        }
        if (take_numbers(node)) return;
      } catch (const InputError& error) {
        reason = error.what();
      }
      if (request_.custom.contains(node.op)) return add_custom(node);
      RefusedOp& refused = refused_[node.op];
      refused.nodes.push_back(node.name.empty() ? "without a name" : printable(node.name));
      refused.reasons.insert(reason);
    }
    lost_.insert(node.outputs.begin(), node.outputs.end());
    lost_.erase(-1);
  }

  /// A root of a single number of the file, such as the width of a head, is known and does not
  /// train.
  bool take_numbers(const OnnxNode& node) {
    const OnnxTensor& out = graph_.at(node.output(0));
    const bool is_scale = node.op == "Sqrt" || node.op == "Floor" || node.op == "Ceil";
    if (!is_scale || !out.number()) return false;
    layers_.note(fmt::format("the number below the node '{}' ({}) is known and does not train",
                             printable(node.name), node.op));
    layers_.set_output(node.output(0), layers_.add_number(name_of_node(node), *out.number()));
    return true;
  }

  /// The user's number is for one element of the output; the gradient is taken to cost twice as
  /// much, as it does for a product of matrices.
  void add_custom(const OnnxNode& node) {
    const Shape& shape = graph_.at(node.output(0)).shape;
    std::vector<std::string> inputs;
    std::int64_t parameters = 0;
    for (const int tensor : node.inputs) {
      if (tensor < 0) continue;
      const OnnxTensor& input = graph_.at(tensor);
      if (input.is_data()) inputs.push_back(layers_.name_of_tensor(tensor));
      if (input.is_weight) parameters = checked_sum({parameters, element_count(input.shape)});
    }
    if (inputs.empty() || shape.empty()) {
      throw InputError(fmt::format("the node '{}' ({}) reads no data; expected some for --custom",
                                   printable(node.name), printable(node.op)));
    }
    // The FLOPs of a custom layer count one sample.
    const Shape& first = graph_.at(graph_.inputs.front()).shape;
    const bool has_batch = !first.empty() && shape[0] == first[0] && first[0] > 1;
    const std::int64_t count = element_count(shape) / (has_batch ? shape[0] : 1);
    const std::int64_t flops = checked_product({request_.custom.at(node.op), count});
    layers_.set_output(
        node.output(0),
        layers_.add("custom", name_of_node(node), std::move(inputs),
                    {{"shape", list_attribute(shape)},
                     {"flops", number_attribute(flops)},
                     {"parameters", number_attribute(parameters)},
                     {"saves", list_attribute({0})},
                     {"grad_flops", number_attribute(checked_product({2, flops}))}}));
  }

  /// Ops in alphabetical order, with their nodes and the reasons, and the option that helps.
  std::string refusal() const {
    constexpr std::size_t kMostNodes = 100;
    std::string text;
    for (const auto& [op, refused] : refused_) {
      const std::size_t shown = std::min(refused.nodes.size(), kMostNodes);
      text += fmt::format("{} (node{} {}{}): {}\n", printable(op), shown == 1 ? "" : "s",
                          fmt::join(refused.nodes.begin(), refused.nodes.begin() + shown, ", "),
                          refused.nodes.size() > shown
                              ? fmt::format(" and {} more", refused.nodes.size() - shown)
                              : "",
                          fmt::join(refused.reasons, "; "));
    }
    return text + fmt::format(
                      "expected ops that docs/import.md lists, or --custom {}=FLOPS for "
                      "each of these, with FLOPs for an element of its output: a layer of "
                      "the op custom",
                      printable(refused_.begin()->first));
  }

  const OnnxGraph& graph_;
  const ImportRequest& request_;
  LayerList layers_;
  std::set<int> lost_;
  std::map<std::string, RefusedOp> refused_;
};

bool is_softmax(const OnnxNode* node) {
  return node != nullptr && (node->op == "Softmax" || node->op == "LogSoftmax");
}

/// The loss of a network, and the extent of the output that has the classes.
struct ChosenLoss {
  std::string name;
  std::size_t axis = 0;
};

/// Whether a change of shape after a softmax leaves the classes in the last extent.
bool keeps_classes(const OnnxGraph& graph, const OnnxNode& softmax, int output) {
  const Shape& in = graph.at(softmax.output(0)).shape;
  const Shape& out = graph.at(output).shape;
  if (in.empty() || out.empty()) return false;
  const std::size_t axis = axis_index(softmax.integer("axis", -1), in);
  return out.back() == in[axis] && element_count(std::span(in).subspan(axis)) == in[axis];
}

/// The loss that was asked for, or the usual one: classes in two extents, else a mean of squares. A
/// cross entropy has its softmax within, so that one at the end of the network goes. Its axis has
/// the classes; without a softmax, the channels of images and the last extent otherwise.
ChosenLoss choose_loss(OnnxGraph& graph, const ImportRequest& request) {
  int& output = graph.outputs.front();
  const OnnxLinks links(graph);
  const OnnxNode* last = links.maker(output);
  // Before opset 13, a softmax over several extents stands between two changes of shape.
  const OnnxNode* const below = last == nullptr ? nullptr : links.maker(last->input(0));
  const bool is_view = last != nullptr && (last->op == "Reshape" || last->op == "Flatten" ||
                                           last->op == "Squeeze" || last->op == "Unsqueeze");
  const bool is_wrapped =
      is_view && is_softmax(below) && (graph.opset < 13 || keeps_classes(graph, *below, output));
  if (is_wrapped) last = below;
  const bool ends_in_softmax = is_softmax(last);
  const Shape& shape = graph.at(ends_in_softmax ? last->output(0) : output).shape;
  const bool has_classes = shape.size() == 2 && shape[1] > 1;
  ChosenLoss loss{.name = !request.loss.empty()            ? request.loss
                          : has_classes || ends_in_softmax ? "cross_entropy"
                                                           : "mse"};
  if (loss.name != "cross_entropy") return loss;
  if (shape.size() < 2) {
    throw InputError(
        fmt::format("the output has the shape {}; expected samples and classes, or --loss mse",
                    shape_text(shape)));
  }
  loss.axis = shape.size() == 4 ? 1 : shape.size() - 1;
  if (!ends_in_softmax) return loss;
  loss.axis = axis_index(last->integer("axis", graph.opset < 13 ? 1 : -1), shape);
  output = last->input(0);
  remove_unread_nodes(graph);
  return loss;
}

/// A cross entropy has the classes in the last extent.
void add_loss(LayerList& layers, int output, const ChosenLoss& loss) {
  const Shape& shape = layers.shape(output);
  std::string name = layers.name_of_tensor(output);
  if (loss.name == "mse") {
    layers.add("mse", "loss", {name});
    return;
  }
  if (loss.axis + 1 != shape.size()) {
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i != loss.axis) order.push_back(static_cast<std::int64_t>(i));
    }
    order.push_back(static_cast<std::int64_t>(loss.axis));
    name = layers.add("permute", "classes_last", {name}, {{"order", list_attribute(order)}});
  }
  layers.add("cross_entropy", "loss", {name}, {{"classes", number_attribute(shape[loss.axis])}});
}

/// Throws if a layer makes a tensor of other extents than its node, such as a pool that counts its
/// windows in another way.
void check_shapes(const LayerList& layers, const ModelSpec& spec) {
  InputErrors errors;
  const Model model = build_model(spec, 1, errors);
  if (!errors.empty()) return;  // they are reported when the whole model is checked
  for (const ModelNode& node : model.nodes) {
    const Shape* const wanted = layers.wanted_shape(node.name);
    if (wanted == nullptr || wanted->empty() || *wanted == node.out_shape) continue;
    throw InputError(fmt::format(
        "the layer '{}' ({}) makes {}, where the file has {}; expected "
        "equal extents",
        printable(node.name), node.op, shape_text(node.out_shape), shape_text(*wanted)));
  }
}

/// PyTorch folds batch norms into the convolutions before them when it exports for inference, and
/// names the weights after the op then.
void note_folded_norms(const OnnxGraph& graph, std::vector<std::string>& notes) {
  int folded = 0;
  for (const OnnxNode& node : graph.nodes) {
    if (node.op == "BatchNormalization") return;
    if (node.op == "Conv" && node.input(1) >= 0 &&
        graph.at(node.input(1)).name.starts_with("onnx::Conv_")) {
      ++folded;
    }
  }
  if (folded == 0) return;
  notes.push_back(fmt::format(
      "the file was exported for inference: the batch norms after {} convolution{} are folded into "
      "{} weights, and the schedule would be one for a network without them. "
      "torch.onnx.export(..., training=torch.onnx.TrainingMode.TRAINING, "
      "do_constant_folding=False) "
      "keeps them",
      folded, folded == 1 ? "" : "s", folded == 1 ? "its" : "their"));
}

}  // namespace

ModelSpec to_layers(OnnxGraph graph, const ImportRequest& request, std::vector<std::string>& notes,
                    std::vector<KeptArray>& parameters) {
  note_folded_norms(graph, notes);
  const ChosenLoss loss = choose_loss(graph, request);
  Conversion conversion(graph, request);
  LayerList& layers = conversion.run();
  add_loss(layers, graph.outputs.front(), loss);
  ModelSpec spec = layers.take(notes);
  check_shapes(layers, spec);
  if (request.keep_numbers) parameters = layers.weights().arrays(spec);
  return spec;
}

}  // namespace poet
