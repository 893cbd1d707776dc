#pragma once

#include <cstdint>

#include "model/model_spec.hpp"
#include "poet/model.hpp"

namespace poet {

/// Turns a model as it was written into a graph: names become indices, shapes, parameter and
/// FLOP counts are inferred for this batch size, and the backward pass is appended.
/// Throws InputError with the place of whatever does not fit.
Model build_model(const ModelSpec& spec, std::int64_t batch_size);

}  // namespace poet
