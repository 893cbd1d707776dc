#pragma once

#include "step/training_step.hpp"

namespace poet {

/// Throws InputError for a node that may not put its output into the buffer of this input, since
/// one of its kernels reads the input and cannot write over it. A model file, or a schedule file,
/// may let a node take over any input of equal bytes; only kernels know.
void expect_takes_over(const StepNode& node, int input);

}  // namespace poet
