#include "growth.hpp"

#include <cmath>

namespace poet::bench {

std::optional<double> growth_exponent(const std::vector<Point>& points) {
  double mean_x = 0;
  double mean_y = 0;
  for (const Point& point : points) {
    if (point.size <= 0 || point.value <= 0) return std::nullopt;
    mean_x += std::log(point.size);
    mean_y += std::log(point.value);
  }
  const auto count = static_cast<double>(points.size());
  mean_x /= count;
  mean_y /= count;
  double covariance = 0;
  double variance = 0;
  for (const Point& point : points) {
    const double x = std::log(point.size) - mean_x;
    covariance += x * (std::log(point.value) - mean_y);
    variance += x * x;
  }
  constexpr double kSameSize = 1e-12;
  if (!(variance > kSameSize)) return std::nullopt;
  return covariance / variance;
}

}  // namespace poet::bench
