#pragma once

#include <string>
#include <string_view>

#include "model/model_spec.hpp"
#include "poet/platform.hpp"

namespace poet {

/// Reads a file of the format `poet-model`, version 1 to 3, in either of its forms: `layers` with
/// an `input`, or `nodes` with measured costs. Checks everything that needs no other layer: keys,
/// types, ranges, ops and their attributes. What is wrong goes to `errors` with its place. Throws
/// InputError for a text other than JSON or of another format.
ModelSpec read_model(std::string_view text, const std::string& source, InputErrors& errors);

/// Reads a file of the format `poet-platform`, version 1 or 2, into a Platform without `source` and
/// `sha256`. Required are the name, the two rates, both transfers and the memory power. Throws
/// InputError with the place.
Platform read_platform(std::string_view text, const std::string& source);

}  // namespace poet
