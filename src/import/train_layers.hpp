#pragma once

#include <string>

#include "model/model_spec.hpp"

namespace poet {

/// Freezes the parameters of all layers but some: `all` trains all of them, `last:3` the last three
/// layers with parameters, and a pattern, in which `*` stands for any characters, those whose names
/// match. Throws InputError, without a place, for a text that chooses no layer.
void choose_trainable(ModelSpec& spec, const std::string& wanted);

}  // namespace poet
