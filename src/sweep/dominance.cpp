// The order of limits. It is partial: one point may allow more RAM and less time than another, and
// then neither says anything about the other. Points of one curve differ in RAM alone and so have a
// total order: they are solved in a row, while curves that neither allow as much as the other run
// side by side. Asking for the next point compares all curves with each other, which is little
// beside a solve.

#include "sweep/dominance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "problem/fields.hpp"

namespace poet {

namespace {

/// An absent budget allows everything.
bool allows(const std::optional<Bytes>& loose, const std::optional<Bytes>& tight) {
  return !loose || (tight && *loose >= *tight);
}

bool allows(const StorageBudgets& loose, const StorageBudgets& tight) {
  bool all = true;
  for_each_field(kFields<StorageBudgets>, [&](const auto& budget) {
    all = all && allows(budget.of(loose), budget.of(tight));
  });
  return all;
}

/// The least budgets that a schedule keeps.
StorageBudgets used_by(const Replay& replay) {
  return {.storage_budget_bytes = replay.storage_bytes,
          .page_out_budget_bytes = replay.written_bytes};
}

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

/// Every schedule within tighter limits is also within looser ones. That one fact carries all
/// reuse: a schedule may move to looser limits, and a proof (a bound, or that nothing exists) to
/// tighter ones.
bool dominates_otherwise(const Limits& loose, const Limits& tight) {
  return allows(loose.storage, tight.storage) &&
         loose.runtime_budget_seconds >= tight.runtime_budget_seconds &&
         (loose.techniques.paging || !tight.techniques.paging) &&
         (loose.techniques.remat || !tight.techniques.remat) &&
         loose.paging_time == tight.paging_time;
}

bool dominates(const Limits& loose, const Limits& tight) {
  return loose.ram_budget_bytes >= tight.ram_budget_bytes && dominates_otherwise(loose, tight);
}

Replay replay_without_limits(const Graph& graph, const Schedule& schedule, PagingTime paging_time) {
  return simulate(graph, schedule,
                  {.ram_budget_bytes = std::numeric_limits<Bytes>::max(),
                   .runtime_budget_seconds = std::numeric_limits<double>::infinity(),
                   .paging_time = paging_time});
}

// A replay without limits has the figures for all limits, so that one replay answers for every
// point.
bool fits(const Replay& replay, const Limits& limits) {
  return replay.peak_ram_bytes <= limits.ram_budget_bytes &&
         within_runtime_budget(replay.runtime_seconds, limits.runtime_budget_seconds) &&
         (limits.techniques.paging || replay.page_out_count + replay.page_in_count == 0) &&
         (limits.techniques.remat || replay.recompute_count == 0) &&
         allows(limits.storage, used_by(replay));
}

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

// One point of a curve at a time: the next one profits from it, and jobs have other curves.
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

/// A curve descends, so its next point stands for all that are left of it.
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
