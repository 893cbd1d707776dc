#pragma once

#include <algorithm>
#include <cmath>

namespace poet {

/// How far figures that were summed up in different orders may lie apart, relative to their size.
inline constexpr double kFigureTolerance = 1e-9;

/// Whether two figures agree within kFigureTolerance of the larger one, or within `absolute`.
/// Nothing agrees with a NaN.
inline bool agree(double a, double b, double absolute = 0) {
  const double size = std::max(std::abs(a), std::abs(b));
  return a == b || std::abs(a - b) <= std::max(size * kFigureTolerance, absolute);
}

}  // namespace poet
