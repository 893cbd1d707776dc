#pragma once

#include <string>

#include "model/model_spec.hpp"
#include "poet/platform.hpp"

namespace poet {

/// A model of measured nodes as a model file of version 2, which read_model() reads as the same.
std::string model_json(const ModelSpec& spec);

/// A platform as a platform file, which read_platform() reads as the same.
std::string platform_json(const Platform& platform);

/// A model of layers as a model file of version 2, which read_model() reads as the same. Attributes
/// that have their defaults are left out.
std::string layers_json(const ModelSpec& spec);

}  // namespace poet
