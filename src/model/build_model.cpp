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
LayerCosts infer(const LayerSpec& layer, const Model& model, const NodeNames& names) {
  std::vector<Shape> shapes;
  for (const InputName& input : layer.inputs) {
    shapes.push_back(model.nodes[names.index(input, layer.name)].out_shape);
  }
  try {
    LayerCosts costs = find_op(layer.op)->infer({.inputs = shapes, .attributes = layer.attributes});
    element_count(costs.out_shape);
    return costs;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} ({} '{}')", layer.place, layer.op, printable(layer.name)),
                     error.what());
  }
}

/// All names are announced first, so that an input which names a later layer is told apart from one
/// that names none.
void add_layers(const ModelSpec& spec, std::int64_t batch_size, Model& model) {
  NodeNames names;
  for (const LayerSpec& layer : spec.layers) names.announce(layer.name);
  names.add("input", spec.place);
  model.nodes.push_back(input_node(spec, batch_size));
  for (const LayerSpec& layer : spec.layers) {
    LayerCosts costs = infer(layer, model, names);
    names.add(layer.name, layer.place);
    model.nodes.push_back({.name = layer.name,
                           .op = layer.op,
                           .out_shape = std::move(costs.out_shape),
                           .parameter_count = costs.parameter_count,
                           .flop = costs.flop,
                           .inputs = names.resolve(layer.inputs, layer.name),
                           .backward = false,
                           .measured = {}});
  }
}

void add_measured_nodes(const ModelSpec& spec, Model& model) {
  NodeNames names;
  for (const MeasuredSpec& node : spec.nodes) names.announce(node.name);
  for (const MeasuredSpec& node : spec.nodes) {
    std::vector<int> inputs = names.resolve(node.inputs, node.name);
    names.add(node.name, node.place);
    model.nodes.push_back({.name = node.name,
                           .op = node.op,
                           .out_shape = {},
                           .inputs = std::move(inputs),
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

Model build_model(const ModelSpec& spec, std::int64_t batch_size) {
  check_batch_size(spec, batch_size);
  Model model;
  model.name = spec.name;
  model.backward = spec.backward;
  model.batch_size = batch_size;
  if (!spec.nodes.empty()) {
    add_measured_nodes(spec, model);
    return model;
  }
  add_layers(spec, batch_size, model);
  try {
    add_backward_pass(model);
  } catch (const InputError& error) {
    throw InputError(spec.place + ": /layers", error.what());
  }
  return model;
}

}  // namespace poet
