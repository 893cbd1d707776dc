#pragma once

#include <string>
#include <string_view>

#include "poet/platform.hpp"

namespace poet {

/// Reads a file of the format `poet-platform`, version 1, into a Platform without `source` and
/// `sha256`. `description`, `provenance`, `cpu_power_watts` (0), `element_bytes` (4) and
/// `ram_bytes` may be left out. Throws InputError with the place.
Platform read_platform(std::string_view text, const std::string& source);

}  // namespace poet
