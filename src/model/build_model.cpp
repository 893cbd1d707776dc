#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/backward/backward.hpp"
#include "model/model_spec.hpp"
#include "model/node_names.hpp"
#include "model/op.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

void check_batch_size(const ModelSpec& spec, std::int64_t batch_size) {
  if (batch_size < 1) {
    throw InputError(fmt::format("the batch size is {}, expected at least 1", batch_size));
  }
  if (batch_size == 1 || spec.input_batch) return;
  throw InputError(
      spec.place,
      fmt::format("the batch size is {}, but the model '{}' {}; expected 1", batch_size,
                  printable(spec.name),
                  spec.nodes.empty() ? "has no batch dimension (no \"N\" in its input's shape)"
                                     : "states measured costs, which hold for one batch size"));
}

ModelNode input_node(const ModelSpec& spec, std::int64_t batch_size) {
  Shape shape = spec.input_shape;
  if (spec.input_batch) shape[0] = batch_size;
  try {
    element_count(shape);
  } catch (const InputError& error) {
    throw InputError(spec.place + ": /input/shape", error.what());
  }
  ModelNode node;
  node.name = "input";
  node.op = "input";
  node.out_shape = std::move(shape);
  return node;
}

/// The formulas of an op know nothing of files. Their errors get the layer's place here.
LayerCosts infer(const LayerSpec& layer, const std::vector<Shape>& shapes) {
  try {
    LayerCosts costs = find_op(layer.op)->infer({.inputs = shapes, .attributes = layer.attributes});
    element_count(costs.out_shape);
    return costs;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} ({} '{}')", layer.place, layer.op, printable(layer.name)),
                     error.what());
  }
}

/// The inputs of a node: ascending, each once.
std::vector<int> ascending(std::vector<int> indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

/// A layer whose shape is not known for an error makes those that read it unknown as well, without
/// another error: one mistake is one line.
class LayerBuilder {
 public:
  LayerBuilder(const ModelSpec& spec, std::int64_t batch_size, Model& model, InputErrors& errors)
      : model_(model), errors_(errors) {
    // Announced first, so that an input which names a later layer is told apart from one that names
    // none.
    for (const LayerSpec& layer : spec.layers) names_.announce(layer.name);
    names_.add("input", spec.place);
    ModelNode input;
    known_.push_back(spec.has_input &&
                     errors_.collect([&] { input = input_node(spec, batch_size); }));
    model_.nodes.push_back(std::move(input));
  }

  void add(const LayerSpec& layer) {
    const std::vector<int> inputs = names_.indices(layer.inputs, layer.name, errors_);
    const bool may_infer =
        layer.whole && inputs.size() == layer.inputs.size() &&
        std::all_of(inputs.begin(), inputs.end(), [&](int input) { return known_[input]; });
    LayerCosts costs;
    known_.push_back(may_infer &&
                     errors_.collect([&] { costs = infer(layer, shapes_of(inputs)); }));
    errors_.collect([&] { names_.add(layer.name, layer.place); });
    model_.nodes.push_back({.name = layer.name,
                            .op = layer.op,
                            .out_shape = std::move(costs.out_shape),
                            .parameter_count = costs.parameter_count,
                            .flop = costs.flop,
                            .inputs = ascending(inputs),
                            .backward = false,
                            .measured = {}});
  }

 private:
  std::vector<Shape> shapes_of(const std::vector<int>& nodes) const {
    std::vector<Shape> shapes;
    shapes.reserve(nodes.size());
    for (const int node : nodes) shapes.push_back(model_.nodes[node].out_shape);
    return shapes;
  }

  Model& model_;
  InputErrors& errors_;
  NodeNames names_;
  std::vector<bool> known_;  ///< by node: its shape
};

void add_measured_nodes(const ModelSpec& spec, Model& model, InputErrors& errors) {
  NodeNames names;
  for (const MeasuredSpec& node : spec.nodes) names.announce(node.name);
  for (const MeasuredSpec& node : spec.nodes) {
    std::vector<int> inputs = names.indices(node.inputs, node.name, errors);
    errors.collect([&] { names.add(node.name, node.place); });
    model.nodes.push_back({.name = node.name,
                           .op = node.op,
                           .out_shape = {},
                           .inputs = ascending(std::move(inputs)),
                           .backward = node.backward,
                           .measured = node.costs});
  }
}

void add_backward_pass(Model& model) {
  switch (model.backward) {
    case Backward::poet_chain:
      return append_poet_chain(model);
    case Backward::none:
    case Backward::explicit_nodes:
      return;
  }
}

}  // namespace

Model build_model(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  // What could not be read may be what a batch needs.
  if (errors.empty()) check_batch_size(spec, batch_size);
  Model model;
  model.name = spec.name;
  model.backward = spec.backward;
  model.batch_size = batch_size;
  if (!spec.nodes.empty()) {
    add_measured_nodes(spec, model, errors);
    return model;
  }
  LayerBuilder layers(spec, batch_size, model, errors);
  for (const LayerSpec& layer : spec.layers) layers.add(layer);
  if (!errors.empty()) return model;
  try {
    add_backward_pass(model);
  } catch (const InputError& error) {
    throw InputError(spec.place + ": /layers", error.what());
  }
  return model;
}

}  // namespace poet
