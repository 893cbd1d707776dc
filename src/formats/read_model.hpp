#pragma once

#include <string>
#include <string_view>

#include "model/model_spec.hpp"

namespace poet {

/// Reads a file of the format `poet-model`, version 1, in either of its forms: `layers` with an
/// `input`, or `nodes` with measured costs. Checks everything that needs no other layer: keys,
/// types, ranges, ops and their attributes. Throws InputError with the place.
ModelSpec read_model(std::string_view text, const std::string& source);

}  // namespace poet
