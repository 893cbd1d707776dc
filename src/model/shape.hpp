#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "poet/model.hpp"

namespace poet {

// Shapes come from files, so every product of extents may leave 64 bits. These functions throw
// InputError, without a place, if that happens or a shape is not what an op needs; the caller adds
// the place.

/// Sums and products that throw instead of wrapping around.
std::int64_t checked_sum(std::initializer_list<std::int64_t> terms);
std::int64_t checked_product(std::initializer_list<std::int64_t> factors);

/// Number of elements of a tensor; 1 for no extents. Throws beyond 2^53, the largest size accepted
/// anywhere.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// Bytes of parameters with elements of this size, unless their bytes are stated.
Bytes bytes_of(const Parameters& parameters, int element_bytes);

/// `[64, 3, 32, 32]`, for messages.
std::string shape_text(const Shape& shape);

/// Throws unless the shape has `rank` extents; `layout` names them, e.g. `N, C, H, W`.
void expect_rank(const Shape& shape, std::size_t rank, std::string_view layout);

/// Throws unless the shape is the expected one; `layout` names its extents.
void expect_shape(const Shape& found, const Shape& expected, std::string_view layout);

/// The index of an axis; a negative one counts from the last. Throws if the shape has no such axis.
std::size_t axis_index(std::int64_t axis, const Shape& shape);

}  // namespace poet
