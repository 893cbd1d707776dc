#pragma once

#include <vector>

#include "step/training_step.hpp"

namespace poet {

/// The node whose tensor a loss compares with its target; -1 for any other node, and for a loss of
/// what no node computes.
int prediction_of(const StepNode& loss);

/// The nodes whose tensors are the results of a forward pass, in the order of the nodes.
std::vector<int> outputs_of(const TrainingStep& forward);

}  // namespace poet
