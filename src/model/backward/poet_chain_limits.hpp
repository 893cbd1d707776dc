#pragma once

#include "model/model_spec.hpp"

namespace poet {

/// Throws InputError for a model whose backward pass is to be POET's but which POET's counts do not
/// cover.
void expect_known_backward(const ModelSpec& spec);

}  // namespace poet
