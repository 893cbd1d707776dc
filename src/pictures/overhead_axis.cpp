// An axis that shows overheads of a thousandth of a per cent beside overheads of half. A linear
// axis presses the small ones flat, and a logarithmic one has no 0, which is the overhead that
// everybody hopes for. log1p of the overhead in units of a small share is both: linear below that
// share, logarithmic above. It is used only if some curve would lie flat otherwise, as a linear
// axis is read with less effort.

#include "pictures/sweep_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace poet::plot {
namespace {

constexpr double kOverheadHeadroom = 1.08;
constexpr int kMostEnergies = 7;     ///< numbers on the axis in joules
constexpr double kMinHeight = 1e-4;  ///< the height of an axis if all overheads are 0

/// A curve whose top is this far below another's would lie flat on a linear axis.
constexpr double kFlat = 0.05;

/// Of the flattest curve's top, the part that stays linear; and the least part of the whole axis,
/// below which differences are rounding errors.
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

// The flattest curve decides where the linear part ends: a tenth of its top, rounded down to a
// power of ten, so that ticks are powers of ten.
OverheadAxis::OverheadAxis(std::span<const Panel> panels, double bottom, double top,
                           OverheadScale wanted) {
  double flattest = std::numeric_limits<double>::infinity();
  for (const Panel& panel : panels) {
    for (const Curve& curve : panel.curves) {
      const double curve_top = top_of(curve);
      most_ = std::max(most_, curve_top);
      if (curve_top > 0) flattest = std::min(flattest, curve_top);
    }
  }
  flattest = std::max(flattest, kFinestPart * most_);
  const bool bends = wanted == OverheadScale::automatic ? flattest < kFlat * most_
                                                        : wanted == OverheadScale::logarithmic;
  if (bends && most_ > 0) {
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

std::vector<Tick> OverheadAxis::energy_ticks(Joules baseline) const {
  std::vector<Joules> energies;
  if (logarithmic()) {
    for (const Tick& tick : ticks()) energies.push_back(baseline * (1 + tick.value));
  } else {
    const Joules most = baseline * (1 + kOverheadHeadroom * most_);
    for (const Tick& tick : joule_ticks(baseline, most, kMostEnergies))
      energies.push_back(tick.value);
  }
  const std::vector<std::string> labels = joule_labels(energies);
  std::vector<Tick> result;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    result.push_back({.value = energies[t] / baseline - 1, .label = labels[t]});
  }
  return result;
}

/// Linear near 0, logarithmic far from it, and smooth between.
double OverheadAxis::bent(double overhead) const {
  if (!logarithmic()) return overhead;
  return std::log1p(std::max(overhead, 0.0) / linear_below_);
}

}  // namespace poet::plot
