#include "model/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poet/error.hpp"
#include "poet/units.hpp"

namespace poet {

// A model file can ask for any shape, and a product that wraps around would be a plausible small
// number. Every sum and product of extents therefore goes through these.
std::int64_t checked_sum(std::initializer_list<std::int64_t> terms) {
  std::int64_t sum = 0;
  for (const std::int64_t term : terms) {
    if (!__builtin_add_overflow(sum, term, &sum)) continue;
    throw InputError(fmt::format("{} is above 2^63", fmt::join(terms, " + ")));
  }
  return sum;
}

std::int64_t checked_product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (!__builtin_mul_overflow(product, factor, &product)) continue;
    throw InputError(fmt::format("{} is above 2^63", fmt::join(factors, " * ")));
  }
  return product;
}

// Up to 2^53 a double, in which costs are computed, holds every count exactly.
std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (!__builtin_mul_overflow(count, extent, &count) && count <= kMaxBytes) continue;
    throw InputError(
        fmt::format("a tensor of {} elements; expected at most 2^53", fmt::join(shape, " x ")));
  }
  return count;
}

// Stated bytes win: a measured node's file knows them, and counts would only guess.
Bytes bytes_of(const Parameters& parameters, int element_bytes) {
  return parameters.bytes ? *parameters.bytes : checked_product({parameters.count, element_bytes});
}

std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void expect_rank(const Shape& shape, std::size_t rank, std::string_view layout) {
  if (shape.size() == rank) return;
  throw InputError(fmt::format("the input's shape is {}, expected {} extents ({})",
                               shape_text(shape), rank, layout));
}

std::size_t axis_index(std::int64_t axis, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis >= -rank && axis < rank) return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  throw InputError(fmt::format("the axis is {}, expected one from {} to {} for {}", axis, -rank,
                               rank - 1, shape_text(shape)));
}

void expect_shape(const Shape& found, const Shape& expected, std::string_view layout) {
  if (found == expected) return;
  throw InputError(fmt::format("the input's shape is {}, expected {} ({})", shape_text(found),
                               shape_text(expected), layout));
}

}  // namespace poet
