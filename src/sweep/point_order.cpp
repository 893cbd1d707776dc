#include "sweep/point_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sweep/dominance.hpp"

namespace poet {
namespace {

/// Points sorted by it form runs of curves, looser ones first.
auto key(const SweepPoint& point) {
  const TechniqueSet& set = point.limits.techniques;
  return std::tuple(point.subject, !set.remat, !set.paging, -point.limits.runtime_budget_seconds,
                    -point.limits.ram_budget_bytes);
}

bool same_curve(const SweepPoint& a, const SweepPoint& b) {
  return a.subject == b.subject && a.limits.techniques == b.limits.techniques &&
         a.limits.runtime_budget_seconds == b.limits.runtime_budget_seconds;
}

}  // namespace

PointOrder::PointOrder(const std::vector<SweepPoint>& points)
    : points_(points), curve_of_(points.size()), finished_(points.size(), false) {
  std::vector<int> sorted(points.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(),
            [&](int a, int b) { return key(points[a]) < key(points[b]); });
  for (const int p : sorted) {
    if (curves_.empty() || !same_curve(points[curves_.back().points.back()], points[p])) {
      curves_.push_back({.subject = points[p].subject});
    }
    curves_.back().points.push_back(p);
    curve_of_[p] = static_cast<int>(curves_.size()) - 1;
  }
}

std::optional<int> PointOrder::next() {
  for (Curve& curve : curves_) {
    if (curve.taken || curve.at == curve.points.size() || !may_start(curve)) continue;
    curve.taken = true;
    return curve.points[curve.at];
  }
  return std::nullopt;
}

void PointOrder::finish(int point) {
  finished_[point] = true;
  Curve& curve = curves_[curve_of_[point]];
  if (curve.points[curve.at] != point) return;
  curve.taken = false;
  while (curve.at < curve.points.size() && finished_[curve.points[curve.at]]) ++curve.at;
}

bool PointOrder::may_start(const Curve& curve) const {
  const Limits& limits = limits_at(curve);
  return std::none_of(curves_.begin(), curves_.end(), [&](const Curve& other) {
    return &other != &curve && other.subject == curve.subject && other.at < other.points.size() &&
           dominates(limits_at(other), limits);
  });
}

const Limits& PointOrder::limits_at(const Curve& curve) const {
  return points_[curve.points[curve.at]].limits;
}

}  // namespace poet
