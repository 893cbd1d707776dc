#pragma once

#include <cstddef>
#include <functional>

#include "execute/training_state.hpp"

namespace poet {

/// Returns where the tensor of a node is. Called for the node that is computed and for its
/// operands.
using TensorAt = std::function<std::byte*(int node)>;

/// Starts a step: advances the optimizer, and forgets the gradients of the step before.
void begin_step(TrainingState& state);

/// Computes a node by its kernels. An input is copied, the value of a loss is noted.
void compute(const TrainingStep& step, int node, const TensorAt& tensor_at, TrainingState& state);

/// Computes every node once, each into memory of its own: what a schedule must give as well.
void compute_unscheduled(const TrainingStep& step, TrainingState& state);

}  // namespace poet
