// POET's release builds its training graphs this way, and its published figures are of these
// graphs. So this is the default of model files of version 1, and results stay comparable. It is an
// approximation: a real backward pass follows the branches, keeps separate gradients for parameters
// and inputs, and does not read the output of most layers. `"backward": "exact"` has the step as it
// is computed (src/model/exact), and is the default of version 2.

#include "model/backward/poet_chain.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/model_spec.hpp"
#include "model/op.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

// Names must be unique, and a layer may itself be called `grad(x)`: then the gradient gets as many
// apostrophes as it needs.
std::string free_name(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += '\'';
  return name;
}

/// Whether POET's formulas of the op mean the same attribute: a default of version 2, or what
/// version 1 could have said. Numbers change results and no counts.
bool is_of_version_1(const AttributeRule& rule, const Attribute& value) {
  if (rule.kind == AttributeRule::Kind::number) return true;
  if (rule.since > 1) return value.height == rule.otherwise && value.list.empty();
  if (rule.kind == AttributeRule::Kind::padding) return value.height >= 0;
  if (rule.kind_of_version_1 != AttributeRule::Kind::integer) return true;
  return value.height == value.width && value.height >= rule.least;
}

bool has_own_element_bytes(const ElementBytes& bytes) {
  return bytes.activations || bytes.gradients || bytes.parameters;
}

bool has_options(const LayerSpec& layer) {
  return layer.target || layer.weights || !layer.trainable || layer.trained || !layer.recompute ||
         !layer.page || !layer.bank.empty() || layer.workspace_bytes > 0 || layer.in_place ||
         layer.in_place_over || layer.frozen_weights != FrozenWeights::float32 ||
         layer.frozen_parameters != FrozenParameters::in_place ||
         has_own_element_bytes(layer.element_bytes);
}

/// What POET's counts and its backward pass do not know; empty if they know all.
std::string beyond_poet_chain(const ModelSpec& spec) {
  if (spec.inputs.size() != 1 || spec.inputs[0].element_bytes || spec.inputs[0].repeatable) {
    return "its inputs";
  }
  if (spec.update != Update::fused || spec.optimizer != Optimizer::sgd ||
      has_own_element_bytes(spec.element_bytes)) {
    return "its update, optimizer or dtype";
  }
  for (const LayerSpec& layer : spec.layers) {
    const OpRule* const rule = find_op(layer.op);
    if (rule == nullptr) continue;
    const auto name = [&] {
      return fmt::format("the layer '{}' ({})", printable(layer.name), layer.op);
    };
    if (rule->infer == nullptr || has_options(layer)) return name();
    for (const AttributeRule& attribute : rule->attributes) {
      const auto value = layer.attributes.find(attribute.name);
      if (value == layer.attributes.end() || is_of_version_1(attribute, value->second)) continue;
      return fmt::format("the {} of {}", attribute.name, name());
    }
  }
  return {};
}

}  // namespace

void append_poet_chain(Model& model) {
  const int forward = static_cast<int>(model.nodes.size());
  if (model.nodes.size() * 2 > kMaxNodes + 1) {
    throw InputError(fmt::format("{} layers make more than {} nodes with their backward pass",
                                 forward, kMaxNodes));
  }
  std::set<std::string> taken;
  for (const ModelNode& node : model.nodes) taken.insert(node.name);
  for (int n = forward - 1; n >= 1; --n) {
    const ModelNode& later = model.nodes[n];
    ModelNode gradient{
        .name = free_name(fmt::format("grad({})", later.name), taken),
        .op = "gradient",
        .out_shape = later.out_shape,
        .parameter_count = 0,
        .flop = checked_product({2, model.nodes[n - 1].flop}),
        .inputs = {n - 1, n},
        .backward = true,
        .measured = {},
    };
    const int previous = static_cast<int>(model.nodes.size()) - 1;
    if (previous >= forward) gradient.inputs.push_back(previous);
    model.nodes.push_back(std::move(gradient));
  }
}

void expect_known_backward(const ModelSpec& spec) {
  if (spec.backward != Backward::poet_chain) return;
  const std::string what = beyond_poet_chain(spec);
  if (what.empty()) return;
  throw InputError(spec.place,
                   fmt::format("found the backward pass poet-chain, which does not know "
                               "{}; expected \"exact\"",
                               what));
}

}  // namespace poet
