#include "pictures/sweep_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace poet::plot {
namespace {

constexpr double kOverheadHeadroom = 1.08;
constexpr double kMinHeight = 1e-4;  ///< the height of an axis if all overheads are 0

/// A curve whose top is this far below another's would lie flat on a linear axis.
constexpr double kFlat = 0.05;

/// Of the flattest curve's top, the part that stays linear; and the least part of the whole axis,
/// below which differences are those of rounding.
constexpr double kLinearPart = 0.1;
constexpr double kFinestPart = 1e-6;

double top_of(const Curve& curve) {
  double top = 0;
  for (const CurvePoint& point : curve.points) {
    if (has_schedule(point)) top = std::max(top, overhead(point, point.energy_joules));
  }
  return top;
}

}  // namespace

OverheadAxis::OverheadAxis(const Panel& panel, double bottom, double top) {
  double flattest = std::numeric_limits<double>::infinity();
  for (const Curve& curve : panel.curves) {
    const double curve_top = top_of(curve);
    most_ = std::max(most_, curve_top);
    if (curve_top > 0) flattest = std::min(flattest, curve_top);
  }
  flattest = std::max(flattest, kFinestPart * most_);
  if (flattest < kFlat * most_) {
    linear_below_ = std::pow(10.0, std::floor(std::log10(kLinearPart * flattest)));
  }
  most_ = std::max(most_, kMinHeight);
  scale_ = {.low = 0, .high = kOverheadHeadroom * bent(most_), .from = bottom, .to = top};
}

std::vector<Tick> OverheadAxis::ticks() const {
  if (!logarithmic()) return percent_ticks(0, kOverheadHeadroom * most_, kTickCount);
  std::vector<Tick> ticks{{.value = 0, .label = "0 %"}};
  for (double value = linear_below_; bent(value) <= scale_.high; value *= 10) {
    ticks.push_back({.value = value, .label = fmt::format("{:.10g} %", 100 * value)});
  }
  return ticks;
}

/// Linear near 0, logarithmic far from it, and smooth between.
double OverheadAxis::bent(double overhead) const {
  if (!logarithmic()) return overhead;
  return std::log1p(std::max(overhead, 0.0) / linear_below_);
}

}  // namespace poet::plot
