#pragma once

#include <string>
#include <string_view>

#include "poet/model.hpp"

namespace poet {

/// `[64, 3, 32, 32]`, for messages.
std::string shape_text(const Shape& shape);

/// Throws InputError unless the shape has `rank` extents; `layout` names them, e.g. `N, C, H, W`.
void expect_rank(const Shape& shape, std::size_t rank, std::string_view layout);

/// Throws InputError unless the shape is the expected one; `layout` says where that comes from.
void expect_shape(const Shape& found, const Shape& expected, std::string_view layout);

}  // namespace poet
