#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace poet {

/// Sums and products in int64 that throw InputError instead of wrapping around.
std::int64_t checked_sum(std::initializer_list<std::int64_t> terms);
std::int64_t checked_product(std::initializer_list<std::int64_t> factors);

/// Number of elements of a tensor; 1 for no extents. Throws InputError beyond 2^53, the largest
/// size accepted anywhere.
std::int64_t element_count(std::span<const std::int64_t> shape);

}  // namespace poet
