// From a model as it was written to nodes with indices, shapes and counts. There are three ways:
// measured nodes, layers with POET's counts, and layers as they are computed (src/model/exact). A
// mistake does not end the building: what only follows from it is left out, so that a file with
// three slips takes one run to mend. After errors the model means nothing, and no caller may use
// it.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "model/backward/poet_chain.hpp"
#include "model/exact/draft.hpp"
#include "model/model_spec.hpp"
#include "model/node_names.hpp"
#include "model/op.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// A model that names no batch has its extents as they are; scaling the first one could be wrong.
void check_batch_size(const ModelSpec& spec, std::int64_t batch_size) {
  if (batch_size < 1) {
    throw InputError(fmt::format("the batch size is {}, expected at least 1", batch_size));
  }
  if (batch_size == 1 || spec.has_batch()) return;
  throw InputError(
      spec.place,
      fmt::format("the batch size is {}, but the model '{}' {}; expected 1", batch_size,
                  printable(spec.name),
                  spec.nodes.empty() ? "has no batch dimension (no \"N\" in its input's shape)"
                                     : "states measured costs, which hold for one batch size"));
}

ModelNode input_node(const ModelSpec& spec, std::int64_t batch_size) {
  const InputSpec& input = spec.inputs.front();
  Shape shape = input.shape;
  if (input.has_batch) shape[0] = batch_size;
  with_place(input.place + "/shape", [&] { return element_count(shape); });
  ModelNode node;
  node.name = "input";
  node.op = "input";
  node.out_shape = std::move(shape);
  return node;
}

/// The formulas of an op know nothing of files. Their errors get the layer's place here.
LayerCosts infer(const LayerSpec& layer, const std::vector<Shape>& shapes) {
  const std::string place =
      fmt::format("{} ({} '{}')", layer.place, layer.op, printable(layer.name));
  return with_place(place, [&] {
    const auto infer_op = find_op(layer.op)->infer;
    if (infer_op == nullptr) {
      throw InputError(
          "found an op that POET's formulas do not know, expected \"backward\": \"exact\"");
    }
    LayerCosts costs = infer_op({.inputs = shapes, .attributes = layer.attributes});
    element_count(costs.out_shape);
    return costs;
  });
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
    known_.push_back(spec.has_inputs &&
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

/// The input that a measured node may be computed in place of.
int checked_in_place(const MeasuredSpec& node, const std::vector<int>& inputs,
                     const std::vector<ModelNode>& nodes) {
  const InputName& wanted = *node.in_place;
  for (const int input : inputs) {
    if (nodes[input].name != wanted.name) continue;
    const Bytes bytes = nodes[input].measured->bytes;
    if (bytes == node.costs.bytes) return input;
    throw InputError(wanted.place,
                     fmt::format("found '{}' of {} bytes, expected an input of as many bytes as "
                                 "the output, which has {}",
                                 printable(wanted.name), bytes, node.costs.bytes));
  }
  throw InputError(wanted.place, fmt::format("found '{}', expected one of the node's inputs",
                                             printable(wanted.name)));
}

// Nodes with measured costs bring their backward pass and their parameters, so nothing is inferred;
// names are resolved, and what may be taken over is checked against the bytes that the file states.
class MeasuredBuilder {
 public:
  MeasuredBuilder(const ModelSpec& spec, Model& model, InputErrors& errors)
      : model_(model), errors_(errors) {
    for (const MeasuredSpec& node : spec.nodes) names_.announce(node.name);
    for (const Parameters& parameters : spec.parameters) parameters_.insert(parameters.name);
    model_.parameters = spec.parameters;
  }

  void add(const MeasuredSpec& spec) {
    ModelNode node;
    node.inputs = names_.indices(spec.inputs, spec.name, errors_);
    errors_.collect([&] { names_.add(spec.name, spec.place); });
    node.name = spec.name;
    node.op = spec.op;
    node.inputs = ascending(std::move(node.inputs));
    node.backward = spec.backward;
    node.measured = spec.costs;
    node.workspace_bytes = spec.workspace_bytes;
    node.recompute = spec.recompute;
    node.page = spec.page;
    node.bank = spec.bank;
    node.reads_parameters = names_of(spec.reads_parameters);
    node.writes_parameters = names_of(spec.writes_parameters);
    node.in_place_choices = names_.indices(spec.in_place_choices, spec.name, errors_);
    for (Parameters& parameters : model_.parameters) {
      parameters.is_trained = parameters.is_trained || writes(node, parameters.name);
    }
    if (spec.in_place) {
      errors_.collect([&] { node.in_place = checked_in_place(spec, node.inputs, model_.nodes); });
    }
    if (node.in_place) errors_.collect([&] { expect_only_taker(spec, *node.in_place); });
    model_.nodes.push_back(std::move(node));
  }

 private:
  static bool writes(const ModelNode& node, const std::string& name) {
    const std::vector<std::string>& names = node.writes_parameters;
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::vector<std::string> names_of(const std::vector<InputName>& wanted) {
    std::vector<std::string> names;
    for (const InputName& one : wanted) {
      errors_.collect([&] {
        // The nodes of a schedule file name parameters, whose bytes that does not list.
        if (!parameters_.empty() && !parameters_.contains(one.name)) {
          throw InputError(one.place, fmt::format("found '{}', expected a name of \"parameters\" "
                                                  "or \"state\" at the top of the file",
                                                  printable(one.name)));
        }
      });
      names.push_back(one.name);
    }
    return names;
  }

  // A tensor that comes about once and stays in RAM ends when it is taken over.
  void expect_only_taker(const MeasuredSpec& spec, int over) {
    const auto [taker, is_first] = takers_.emplace(over, spec.name);
    const ModelNode& input = model_.nodes[over];
    if (is_first || input.recompute || input.page) return;
    throw InputError(spec.in_place->place,
                     fmt::format("found '{}', which '{}' takes over and which is neither computed "
                                 "again nor paged; expected one node over it",
                                 printable(input.name), printable(taker->second)));
  }

  Model& model_;
  InputErrors& errors_;
  NodeNames names_;
  std::set<std::string> parameters_;   ///< and state
  std::map<int, std::string> takers_;  ///< by input: the first node over it
};

/// A layer list with POET's counts.
Model build_layers(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  Model model;
  LayerBuilder layers(spec, batch_size, model, errors);
  for (const LayerSpec& layer : spec.layers) layers.add(layer);
  if (!errors.empty()) return model;
  with_place(spec.place + ": /layers", [&] {
    if (spec.backward == Backward::poet_chain) append_poet_chain(model);
  });
  return model;
}

Model build_measured(const ModelSpec& spec, InputErrors& errors) {
  Model model;
  MeasuredBuilder nodes(spec, model, errors);
  for (const MeasuredSpec& node : spec.nodes) nodes.add(node);
  return model;
}

}  // namespace

bool has_exact_counts(const ModelSpec& spec) {
  const bool is_forward = spec.backward == Backward::none;
  return spec.backward == Backward::exact ||
         (is_forward && (spec.version > 1 || spec.forward_alone));
}

Model build_model(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  // What could not be read may be what a batch needs.
  if (errors.empty()) check_batch_size(spec, batch_size);
  Model model = !spec.nodes.empty()      ? build_measured(spec, errors)
                : has_exact_counts(spec) ? build_exact(spec, batch_size, errors)
                                         : build_layers(spec, batch_size, errors);
  model.name = spec.name;
  model.backward = spec.backward;
  model.batch_size = batch_size;
  model.update = spec.update;
  model.optimizer = spec.optimizer;
  model.element_bytes = spec.element_bytes;
  model.copies = spec.copies;
  if (spec.backward == Backward::exact && spec.nodes.empty()) {
    model.spec = std::make_shared<const ModelSpec>(spec);
  }
  return model;
}

void ask_for_backward(ModelSpec& spec, Backward wanted) {
  if (spec.backward == wanted) return;
  if (!spec.nodes.empty()) {
    throw InputError(spec.place,
                     "found nodes with measured costs, which have no backward pass "
                     "but their own; expected layers");
  }
  spec.backward = wanted;
  spec.forward_alone = wanted == Backward::none;
}

}  // namespace poet
