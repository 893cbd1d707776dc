#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace poet {

/// The number whose bytes are the first of a text, the least significant byte first.
template <typename Number>
Number little_endian(std::string_view bytes) {
  using Bits = std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Number) == sizeof(Bits));
  Bits bits = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bits |= static_cast<Bits>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return std::bit_cast<Number>(bits);
}

/// All numbers of a text that has a multiple of their bytes.
template <typename Number>
std::vector<double> all_numbers(std::string_view bytes) {
  std::vector<double> values;
  values.reserve(bytes.size() / sizeof(Number));
  for (; bytes.size() >= sizeof(Number); bytes.remove_prefix(sizeof(Number))) {
    values.push_back(static_cast<double>(little_endian<Number>(bytes)));
  }
  return values;
}

}  // namespace poet
