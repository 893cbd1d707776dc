#pragma once

#include <cstdint>
#include <string_view>

#include "model/model_spec.hpp"

namespace poet::exact {

inline constexpr std::string_view kImageLayout = "N, C, H, W";
inline constexpr std::string_view kSignalLayout = "N, C, L";
/// The value of a padding that keeps extent / stride, rounded up.
inline constexpr std::int64_t kSamePadding = -1;

/// Windows along one axis of an image.
struct WindowAxis {
  std::string_view axis;  ///< for errors
  std::int64_t extent = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< on either side, or kSamePadding
  std::int64_t dilation = 1;
  bool ceil_mode = false;  ///< a last window may reach beyond the padded input
};

/// How many windows there are. Throws InputError if not even one fits.
std::int64_t window_count(const WindowAxis& axis);

/// How many elements of the input all windows along the axis read together; padding is not read.
std::int64_t elements_read(const WindowAxis& axis);

}  // namespace poet::exact
