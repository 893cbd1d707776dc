#pragma once

#include <string>

#include "model/model_spec.hpp"

namespace poet {

/// A model of layers as a model file of version 2, which read_model() reads as the same. Attributes
/// that have their defaults are left out.
std::string layers_json(const ModelSpec& spec);

}  // namespace poet
