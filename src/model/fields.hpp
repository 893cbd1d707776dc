#pragma once

#include "base/fields.hpp"
#include "poet/model.hpp"

namespace poet {

// The words of model files.

template <>
inline constexpr Names<Update, 3> kNames<Update> = {{
    {Update::fused, "fused"},
    {Update::buffered, "buffered"},
    {Update::accumulate, "accumulate"},
}};

template <>
inline constexpr Names<Optimizer, 3> kNames<Optimizer> = {{
    {Optimizer::sgd, "sgd"},
    {Optimizer::momentum, "momentum"},
    {Optimizer::adam, "adam"},
}};

}  // namespace poet
