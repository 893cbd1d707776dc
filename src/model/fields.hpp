#pragma once

#include "base/fields.hpp"
#include "poet/model.hpp"

namespace poet {

// The words of model files.

template <>
inline constexpr auto kNames<Update> = kWords<Update::fused, Update::buffered, Update::accumulate>;

template <>
inline constexpr auto kNames<Optimizer> =
    kWords<Optimizer::sgd, Optimizer::momentum, Optimizer::adam>;

}  // namespace poet
