#pragma once

#include <string_view>
#include <vector>

#include "model/exact/exact_layer.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// Lets only these tensors of a layer train. Throws InputError, with its place, for a name that is
/// no tensor of the layer.
void train_parts(ExactLayer& layer, std::string_view op, const std::vector<InputName>& trained);

}  // namespace poet
