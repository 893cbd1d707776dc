// Windows along one axis, by formulas and not by a loop over windows: extents come from files, and
// a hostile one would make the loop long. Every sum and product is checked for the same reason.

#include "model/exact/windows.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::exact {
namespace {

// first + (first - step) + (first - 2 step) + ..., the positive terms
std::int64_t falling_sum(std::int64_t first, std::int64_t step) {
  if (first <= 0) return 0;
  const std::int64_t terms = (first + step - 1) / step;
  return checked_sum(
      {checked_product({terms, first}), -checked_product({step, terms, terms - 1}) / 2});
}

}  // namespace

// "same" needs no kernel: it is the padding for which strides alone decide.
std::int64_t window_count(const WindowAxis& axis) {
  if (axis.padding == kSamePadding) return (axis.extent - 1) / axis.stride + 1;
  const std::int64_t reach = checked_sum({checked_product({axis.dilation, axis.kernel - 1}), 1});
  const std::int64_t padded = checked_sum({axis.extent, axis.padding, axis.padding});
  if (reach > padded) {
    throw InputError(fmt::format("the kernel's {} is {}, expected at most the padded input's {}",
                                 axis.axis, reach, padded));
  }
  const std::int64_t rest = padded - reach;
  if (!axis.ceil_mode) return rest / axis.stride + 1;
  const std::int64_t count = checked_sum({rest, axis.stride - 1}) / axis.stride + 1;
  // A window that would start in the padding on the far side is left out, as PyTorch does.
  const bool is_outside =
      checked_product({count - 1, axis.stride}) >= checked_sum({axis.extent, axis.padding});
  return is_outside ? count - 1 : count;
}

// Each window reads as many elements as the kernel has, but for what the first and the last windows
// have in the padding.
std::int64_t elements_read(const WindowAxis& axis) {
  const std::int64_t count = window_count(axis);
  const std::int64_t end =
      checked_sum({checked_product({count - 1, axis.stride}), axis.kernel, -axis.padding});
  return checked_sum({checked_product({count, axis.kernel}),
                      -falling_sum(axis.padding, axis.stride),
                      -falling_sum(end - axis.extent, axis.stride)});
}

}  // namespace poet::exact
