#pragma once

#include <optional>
#include <vector>

namespace poet::bench {

struct Point {
  double size = 0;
  double value = 0;
};

/// The exponent e of the best fit value = c * size^e: the least-squares slope over the logarithms.
/// Nothing for fewer than two different sizes, or where a size or value is not positive.
std::optional<double> growth_exponent(const std::vector<Point>& points);

}  // namespace poet::bench
