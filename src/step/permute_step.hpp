#pragma once

#include "step/training_step.hpp"

namespace poet {

/// The same training step with its nodes in another order, which must be legal for its model: by
/// place, an index into `step.nodes`. Operands keep their positions, and parameters, inputs,
/// targets, losses and kept gradients keep their numbers; so each kernel computes the same numbers
/// from the same numbers, and every result has the same bits.
TrainingStep permuted(TrainingStep step, const NodeOrder& order);

}  // namespace poet
