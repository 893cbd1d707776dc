#include "model/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poet/error.hpp"

namespace poet {

std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void expect_rank(const Shape& shape, std::size_t rank, std::string_view layout) {
  if (shape.size() == rank) return;
  throw InputError(fmt::format("the input's shape is {}, expected {} extents ({})",
                               shape_text(shape), rank, layout));
}

void expect_shape(const Shape& found, const Shape& expected, std::string_view layout) {
  if (found == expected) return;
  throw InputError(fmt::format("the input's shape is {}, expected {} ({})", shape_text(found),
                               shape_text(expected), layout));
}

}  // namespace poet
