#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace poet::test {

using Numbers = std::vector<float>;

/// Which NaN a sum gives is left open.
inline bool same_bits(const Numbers& a, const Numbers& b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  });
}

}  // namespace poet::test
