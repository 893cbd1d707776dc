// From nodes to layers, one by one and in the order of the file, which is topological. Patterns
// have been put together before, so a node is one layer or a few. The loss comes last, as a file
// has none: a training step needs one, and what it compares decides what its gradient reads. A
// softmax at the end of a network is a part of its cross entropy.

#include "import/to_layers.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "import/layer_maps.hpp"
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
      : graph_(graph), request_(request), layers_(graph) {}

  LayerList& run() {
    check_custom_ops();
    for (const OnnxNode& node : graph_.nodes) convert(node);
    if (!refused_.empty()) throw InputError(refusal());
    return layers_;
  }

 private:
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
    std::string reason = "no layer stands for it";
    if (!follows) {
      try {
        if (const LayerMap map = find_layer_map(node.op)) {
          map(layers_, node);
          if (node.has("differs")) layers_.differs(node.text("differs"));
          return;
        }
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
        layers_.add("custom", layers_.name_of_node(node), std::move(inputs),
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

bool is_softmax(const OnnxNode& node) {
  return node.op == "Softmax" || node.op == "LogSoftmax";
}

/// The loss that was asked for, or the usual one: classes in two extents, else a mean of squares. A
/// cross entropy has its softmax within, so that one at the end of the network goes.
std::string choose_loss(OnnxGraph& graph, const ImportRequest& request) {
  int& output = graph.outputs.front();
  const OnnxNode* const last = OnnxLinks(graph).maker(output);
  const bool ends_in_softmax = last != nullptr && is_softmax(*last);
  const bool has_classes = graph.at(output).shape.size() == 2 && graph.at(output).shape[1] > 1;
  std::string loss = !request.loss.empty()            ? request.loss
                     : has_classes || ends_in_softmax ? "cross_entropy"
                                                      : "mse";
  if (ends_in_softmax && loss == "cross_entropy") {
    output = last->input(0);
    remove_unread_nodes(graph);
  }
  return loss;
}

void add_loss(LayerList& layers, int output, const std::string& loss) {
  const Shape& shape = layers.shape(output);
  std::string name = layers.name_of_tensor(output);
  if (loss == "mse") {
    layers.add("mse", "loss", {name});
    return;
  }
  if (shape.size() == 4) {
    // One class a pixel; the loss has the classes last.
    name = layers.add("permute", "classes_last", {name}, {{"order", list_attribute({0, 2, 3, 1})}});
  }
  if (shape.size() < 2) {
    throw InputError(
        fmt::format("the output has the shape {}; expected samples and classes, or --loss mse",
                    shape_text(shape)));
  }
  layers.add("cross_entropy", "loss", {name},
             {{"classes", number_attribute(shape.size() == 4 ? shape[1] : shape.back())}});
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
  const std::string loss = choose_loss(graph, request);
  Conversion conversion(graph, request);
  LayerList& layers = conversion.run();
  add_loss(layers, graph.outputs.front(), loss);
  ModelSpec spec = layers.take(notes);
  if (request.keep_numbers) parameters = layers.weights().arrays(spec);
  return spec;
}

}  // namespace poet
