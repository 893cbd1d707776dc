#pragma once

#include <optional>

#include "model/exact/draft.hpp"
#include "step/training_step.hpp"

namespace poet {

bool is_batch_norm(const LayerSpec& layer);

/// What these parameters are of, an index into Draft::parameters: of a batch norm, or nothing.
/// Throws InputError, with the layer, if layers that share them do not agree: one array of running
/// statistics cannot be folded for one and follow the batches of another.
std::optional<StepNorm> batch_norm_of(const Draft& draft, int parameters);

/// A batch norm that several layers share takes a batch from each of them, in the order of the
/// forward pass, as PyTorch's does. Their gradients come in the reverse order, so that each of them
/// takes its batch with the share that is left of it in the end:
/// r = (1 - m1)(1 - m2) r + m1 (1 - m2) s1 + m2 s2.
void order_statistics(TrainingStep& step);

}  // namespace poet
