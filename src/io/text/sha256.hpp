#pragma once

#include <string>
#include <string_view>

namespace poet {

/// SHA-256 (FIPS 180-4) of some bytes as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace poet
