// What both passes of an exact graph share: adding nodes, names, and the choice of what is computed
// in place. A graph for a solver knows only bytes, costs and edges; the draft also keeps how each
// node came about, because src/step turns the very same nodes into kernel calls. Keeping it beside
// the nodes makes sure that the two cannot differ.
//
// What a node may take over is decided last, when all readers of all tensors are known. All inputs
// that would do are kept as choices, since another order of the nodes may choose another one.

#include "model/exact/draft.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "problem/take_over.hpp"

namespace poet {
namespace {

/// What tells whether two tensors have equal bytes before a platform gives sizes: either both are
/// stated, or both have the same number of elements of the platform's size.
std::pair<bool, std::int64_t> size_key(const ModelNode& node) {
  return node.bytes ? std::pair(true, *node.bytes)
                    : std::pair(false, element_count(node.out_shape));
}

/// A weight of one byte an element, a scale of four for each of its first extent, and biases of
/// four.
Bytes int8_bytes(const std::vector<Shape>& shapes) {
  const Shape& weight = shapes.front();
  Bytes bytes = checked_sum({element_count(weight), checked_product({4, weight.front()})});
  for (std::size_t t = 1; t < shapes.size(); ++t) {
    bytes = checked_sum({bytes, checked_product({4, element_count(shapes[t])})});
  }
  return bytes;
}

}  // namespace

std::int64_t parameter_count(const ParameterGroup& group) {
  std::int64_t count = 0;
  for (const Shape& shape : group.shapes) count = checked_sum({count, element_count(shape)});
  return count;
}

std::optional<TensorPlace> find_tensor(const ExactLayer& layer, TensorPlace tensor) {
  for (int g = 0; g < static_cast<int>(layer.parameters.size()); ++g) {
    const ParameterGroup& group = layer.parameters[g];
    if (group.part == tensor) return TensorPlace{g, 0};
    const bool is_here = !group.part && g == tensor.group;
    if (is_here && tensor.tensor < std::ssize(group.shapes)) return tensor;
  }
  return std::nullopt;
}

bool trains(const ExactLayer& layer, int group) {
  return layer.is_parameter ||
         std::any_of(layer.steps.begin(), layer.steps.end(), [&](const GradientStep& step) {
           return step.also_updates == group ||
                  (step.of == GradientStep::Of::parameters && step.index == group);
         });
}

std::optional<Bytes> stated_bytes(const Shape& shape, std::optional<int> element_bytes) {
  if (!element_bytes) return {};
  return checked_product({element_count(shape), *element_bytes});
}

std::string take_name(Draft& draft, std::string name) {
  while (!draft.names.insert(name).second) name += '\'';
  return name;
}

// Operands stay in the order of the formula, which kernels need; inputs are a set, as a graph has
// them.
int add_node(Draft& draft, ModelNode node, NodeFormula formula, std::vector<int> over,
             std::optional<int> gradient_bytes) {
  std::vector<ModelNode>& nodes = draft.model.nodes;
  if (nodes.size() >= kMaxNodes) {
    throw InputError(fmt::format("the layers make more than {} nodes", kMaxNodes));
  }
  for (const Operand& operand : node.operands) node.inputs.push_back(operand.node);
  std::sort(node.inputs.begin(), node.inputs.end());
  node.inputs.erase(std::unique(node.inputs.begin(), node.inputs.end()), node.inputs.end());
  const auto tidy = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  tidy(node.reads_parameters);
  tidy(node.writes_parameters);
  nodes.push_back(std::move(node));
  draft.formulas.push_back(std::move(formula));
  draft.over.push_back(std::move(over));
  draft.gradient_bytes.push_back(gradient_bytes);
  draft.copies.push_back(-1);
  return static_cast<int>(nodes.size()) - 1;
}

// A layer's keys for its output do not hold for the copy: parameters that do not train can be
// copied at any time.
void add_copy(Draft& draft, int parameters) {
  DraftParameters& from = draft.parameters[parameters];
  ModelNode node;
  node.name = take_name(draft, fmt::format("copy({})", from.name));
  node.op = "copy";
  node.parameter_count = parameter_count({"", from.shapes});
  node.out_shape = {node.parameter_count};
  node.bytes = stated_bytes(node.out_shape, from.element_bytes.parameters);
  node.reads_parameters = {from.name};
  from.copy = add_node(draft, std::move(node), {.parameters = parameters}, {});
}

void read_parameters(const Draft& draft, int parameters, ModelNode& node) {
  const DraftParameters& from = draft.parameters[parameters];
  if (from.copy < 0) {
    node.reads_parameters.push_back(from.name);
  } else {
    node.operands.push_back({from.copy, draft.model.nodes[from.copy].out_shape});
  }
}

void choose_in_place(Draft& draft) {
  std::vector<ModelNode>& nodes = draft.model.nodes;
  std::vector<int> last_reader(nodes.size(), -1);
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    for (const int input : nodes[j].inputs) last_reader[input] = static_cast<int>(j);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    ModelNode& node = nodes[k];
    const auto size = size_key(node);
    if (size.second == 0) continue;
    for (const int input : draft.over[k]) {
      std::vector<int>& choices = node.in_place_choices;
      if (size_key(nodes[input]) != size) continue;
      if (std::find(choices.begin(), choices.end(), input) == choices.end()) {
        choices.push_back(input);
      }
    }
    node.in_place = choose_in_place(node.in_place_choices, last_reader, static_cast<int>(k));
    if (node.in_place_choices.size() == 1) node.in_place_choices.clear();  // nothing to choose
  }
}

/// Counts what a step is given, and what its norms gather from batches.
void count_data(Draft& draft) {
  Model& model = draft.model;
  for (const ModelNode& node : model.nodes) {
    if (node.op == "input") model.data_count += element_count(node.out_shape);
  }
  std::set<int> followed;  // layers may share the statistics of one
  for (const DraftLayer& layer : draft.layers) {
    if (layer.exact.is_loss && layer.inputs.size() == 1) {
      const Shape& x = layer.inputs.front().shape;
      model.data_count +=
          element_count(x) / (layer.spec->op.starts_with("cross_entropy") ? x.back() : 1);
    }
    if (!layer.spec->op.starts_with("batch_norm") || layer.parameters.empty()) continue;
    const int parameters = layer.parameters.front();
    const DraftParameters& norm = draft.parameters[parameters];
    const bool is_frozen = layer.spec->attributes.at("frozen").height != 0;
    if (is_frozen || !norm.is_trained || !followed.insert(parameters).second) continue;
    model.running_count += 2 * element_count(norm.shapes.front());
  }
}

Draft draft_exact(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  Draft draft = draft_forward(spec, batch_size, errors);
  if (!errors.empty()) return draft;
  try {
    if (spec.backward == Backward::exact) append_exact_backward(draft, spec);
  } catch (const InputError& error) {
    throw InputError(spec.place + ": /layers", error.what());
  }
  expect_read_copies(draft, spec);
  choose_in_place(draft);
  count_data(draft);
  for (const DraftParameters& from : draft.parameters) {
    draft.model.parameters.push_back({.name = from.name,
                                      .count = parameter_count({"", from.shapes}),
                                      .is_trained = from.is_trained,
                                      .element_bytes = from.element_bytes});
    if (from.has_int8_weights) draft.model.parameters.back().bytes = int8_bytes(from.shapes);
  }
  return draft;
}

Model build_exact(const ModelSpec& spec, std::int64_t batch_size, InputErrors& errors) {
  return std::move(draft_exact(spec, batch_size, errors).model);
}

}  // namespace poet
