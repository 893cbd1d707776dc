// The order within a layer decides how long tensors live. The gradient of the parameters comes
// first: it is the last reader of the layer's input, which is gone before the input's gradient is
// allocated. A fused update changes the parameters at once, so there it comes last, unless no other
// gradient of the layer reads them: the gradient of a bias beside a weight that does not train.
//
// The plan is made before any node: a gradient's name and whether it is summed depend on how many
// other gradients its tensor will get. It goes through the layers once from the end, and a layer
// that no gradient reaches is left out with all that is below it alone.

#include "model/exact/gradient_plan.hpp"

#include <algorithm>

#include "poet/error.hpp"

namespace poet {
namespace {

using Of = GradientStep::Of;

/// A loss is a number that no other layer reads.
bool is_loss(const DraftLayer& layer) {
  const ExactLayer& exact = layer.exact;
  if (layer.is_read || exact.nodes.size() != 1 || exact.is_parameter) return false;
  const bool is_number = element_count(exact.nodes[0].shape) == 1 && exact.parameters.empty();
  return exact.is_loss || is_number;
}

bool is_wanted(const Draft& draft, const DraftLayer& layer, const GradientStep& step) {
  if (step.of == Of::parameters) return is_trained(draft, layer, step.index);
  if (step.of == Of::inner) return false;
  return layer.inputs[step.index].wants_gradient ||
         (step.also_updates && is_trained(draft, layer, *step.also_updates));
}

bool comes_first(const Draft& draft, const DraftLayer& layer, const GradientStep& step,
                 Update update) {
  const bool is_fused = update == Update::fused;
  if (!is_of_parameters(layer, step)) return is_fused;
  if (!is_fused || has_buffer(draft, group_of(layer, step), update)) return true;
  const bool is_part = step.of == Of::parameters && layer.exact.parameters[step.index].part;
  return is_part && std::none_of(layer.exact.steps.begin(), layer.exact.steps.end(),
                                 [&](const GradientStep& each) {
                                   return std::find(each.parameters.begin(), each.parameters.end(),
                                                    step.index) != each.parameters.end();
                                 });
}

/// Appends the steps whose results a step reads, each after those that it reads in turn.
void add_needed(const std::vector<GradientStep>& steps, const GradientStep& step,
                std::vector<int>& order) {
  for (const TensorRef tensor : step.reads) {
    if (tensor.kind != TensorRef::Kind::step) continue;
    add_needed(steps, steps[tensor.index], order);
    if (std::find(order.begin(), order.end(), tensor.index) != order.end()) continue;
    order.push_back(tensor.index);
  }
}

/// Appends a step, and before it those whose results it reads.
void add_with_needed(const std::vector<GradientStep>& steps, int s, std::vector<int>& order) {
  add_needed(steps, steps[s], order);
  if (std::find(order.begin(), order.end(), s) == order.end()) order.push_back(s);
}

/// Whether the gradient of a learned tensor reads parameters that the layer trains, or a learned
/// tensor that comes later among its inputs. Of two learned tensors one has to wait.
bool reads_trained(const Draft& draft, const DraftLayer& layer, const GradientStep& step) {
  std::vector<int> all;
  add_needed(layer.exact.steps, step, all);
  const auto reads = [&](const GradientStep& each) {
    const bool reads_own = !step.also_updates &&
                           std::any_of(each.parameters.begin(), each.parameters.end(),
                                       [&](int group) { return is_trained(draft, layer, group); });
    return reads_own ||
           std::any_of(each.reads.begin(), each.reads.end(), [&](const TensorRef& tensor) {
             return tensor.kind == TensorRef::Kind::input && tensor.index > step.index &&
                    layer.inputs[tensor.index].parameters >= 0 &&
                    layer.inputs[tensor.index].wants_gradient;
           });
  };
  return reads(step) ||
         std::any_of(all.begin(), all.end(), [&](int s) { return reads(layer.exact.steps[s]); });
}

}  // namespace

bool is_of_parameters(const DraftLayer& layer, const GradientStep& step) {
  return step.of == Of::parameters ||
         (step.of == Of::input && layer.inputs[step.index].parameters >= 0);
}

int group_of(const DraftLayer& layer, const GradientStep& step) {
  return step.of == Of::parameters ? layer.parameters[step.index]
                                   : layer.inputs[step.index].parameters;
}

bool is_trained(const Draft& draft, const DraftLayer& layer, int group) {
  return layer.spec->trainable && draft.parameters[layer.parameters[group]].trainable;
}

// Parameters of several layers are changed when the last of them has given its gradient.
bool has_buffer(const Draft& draft, int parameters, Update update) {
  const DraftParameters& from = draft.parameters[parameters];
  return update == Update::buffered ||
         (update == Update::fused && (from.readers > 1 || from.waits));
}

void find_waiting(Draft& draft) {
  for (const DraftLayer& layer : draft.layers) {
    for (const GradientStep& step : layer.exact.steps) {
      if (step.of != Of::input) continue;
      const NamedTensor& input = layer.inputs[step.index];
      if (input.parameters < 0 || !input.wants_gradient) continue;
      if (reads_trained(draft, layer, step)) draft.parameters[input.parameters].waits = true;
    }
  }
}

std::vector<int> steps_in_order(const Draft& draft, const DraftLayer& layer, Update update) {
  const std::vector<GradientStep>& steps = layer.exact.steps;
  std::vector<int> wanted;
  std::vector<int> later;
  std::vector<int> last;
  for (int s = 0; s < static_cast<int>(steps.size()); ++s) {
    const GradientStep& step = steps[s];
    if (!is_wanted(draft, layer, step)) continue;
    // It changes the parameters that the gradients of other inputs read.
    const bool changes = step.also_updates && is_trained(draft, layer, *step.also_updates);
    (changes ? last : comes_first(draft, layer, step, update) ? wanted : later).push_back(s);
  }
  later.insert(later.end(), last.begin(), last.end());
  std::vector<int> order;
  for (const int s : wanted) add_with_needed(steps, s, order);
  // An inner tensor may read a learned tensor that one of these changes, such as a first state.
  for (const int s : later) {
    if (update == Update::fused) add_needed(steps, steps[s], order);
  }
  for (const int s : later) add_with_needed(steps, s, order);
  return order;
}

// Losses are found from the end, and there may be several: what they give to one tensor is added
// up.
GradientPlan plan_gradients(const Draft& draft) {
  const std::size_t layers = draft.layers.size();
  GradientPlan plan{.is_root = std::vector<bool>(layers),
                    .is_reached = std::vector<bool>(layers),
                    .contributions = std::vector<int>(draft.model.nodes.size())};
  bool has_root = false;
  for (int l = static_cast<int>(layers) - 1; l >= 0; --l) {
    const DraftLayer& layer = draft.layers[l];
    plan.is_root[l] = is_loss(layer);
    has_root = has_root || plan.is_root[l];
    plan.is_reached[l] =
        plan.is_root[l] || std::any_of(layer.nodes.begin(), layer.nodes.end(),
                                       [&](int node) { return plan.contributions[node] > 0; });
    if (!plan.is_reached[l]) continue;
    for (const GradientStep& step : layer.exact.steps) {
      if (step.of != Of::input || !layer.inputs[step.index].wants_gradient) continue;
      if (const int node = layer.inputs[step.index].node; node >= 0) ++plan.contributions[node];
    }
  }
  if (has_root) return plan;
  throw InputError(
      "found no loss, expected a last layer that makes one number, such as cross_entropy, or "
      "\"backward\": \"none\"");
}

}  // namespace poet
