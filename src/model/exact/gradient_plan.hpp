#pragma once

#include <vector>

#include "model/exact/draft.hpp"

namespace poet {

/// Which gradients a training step computes, known before any of them has a node.
struct GradientPlan {
  std::vector<bool> is_root;       ///< by layer: a loss, where the backward pass starts
  std::vector<bool> is_reached;    ///< by layer: a loss, or something that has a gradient
  std::vector<int> contributions;  ///< by forward node: how many gradients add up to its own
};

/// Finds the learned tensors whose update has to wait. In the product of a learned tensor and
/// parameters, each gradient reads the other factor, so neither can be applied where it arises.
void find_waiting(Draft& draft);

/// Throws InputError without a loss.
GradientPlan plan_gradients(const Draft& draft);

/// The steps of a layer that something needs, in the order in which they are computed: indices into
/// ExactLayer::steps.
std::vector<int> steps_in_order(const Draft& draft, const DraftLayer& layer, Update update);

/// Whether the step makes the gradient of parameters: the layer's own or a learned tensor's.
bool is_of_parameters(const DraftLayer& layer, const GradientStep& step);
/// Of which ones: an index into Draft::parameters.
int group_of(const DraftLayer& layer, const GradientStep& step);

/// Whether the layer trains its parameters `group`, an index into ExactLayer::parameters.
bool is_trained(const Draft& draft, const DraftLayer& layer, int group);

/// Whether the gradient of parameters is a tensor, from its first contribution to the update.
bool has_buffer(const Draft& draft, int parameters, Update update);

}  // namespace poet
