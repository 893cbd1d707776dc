#pragma once

#include "poet/simulate.hpp"

#include <optional>
#include <vector>
#include "poet/sweep.hpp"

namespace poet {

// Points share results by the order of their limits: a schedule for tight limits is one for looser
// ones, and a bound or a proof of infeasibility for loose limits holds for tighter ones.

/// Whether every schedule within `tight` is one within `loose`. `dominates_otherwise` does not look
/// at their RAM budgets.
bool dominates(const Limits& loose, const Limits& tight);
bool dominates_otherwise(const Limits& loose, const Limits& tight);

/// The figures of a schedule, and its violations under every limit with this paging time.
Replay replay_without_limits(const Graph& graph, const Schedule& schedule, PagingTime paging_time);
/// Whether a schedule that is valid without limits is valid within these, which have the same
/// paging time. It needs the figures of one replay only, and a sweep asks this for each pair of
/// points.
bool fits(const Replay& replay, const Limits& limits);

/// Which point may start when: a point waits for all points of its subject that allow as much as it
/// does. The points of one subject, set of techniques and runtime budget form a curve, which is
/// walked from its largest RAM budget to its smallest. The waiting costs little parallelism, since
/// curves run side by side, and it makes the results independent of the number of jobs.
class PointOrder {
 public:
  explicit PointOrder(const std::vector<SweepPoint>& points);

  /// Takes a point that may start; nothing if all others wait, or none is left.
  std::optional<int> next();
  /// Records that a point is finished, whether it was taken or was known before.
  void finish(int point);

 private:
  struct Curve {
    int subject = 0;
    std::vector<int> points;  ///< by falling RAM budget
    std::size_t at = 0;       ///< the first that is not finished, or the end
    bool taken = false;       ///< that one has been taken
  };

  bool may_start(const Curve& curve) const;
  const Limits& limits_at(const Curve& curve) const;

  const std::vector<SweepPoint>& points_;
  std::vector<Curve> curves_;   ///< each after those that allow as much
  std::vector<int> curve_of_;   ///< by point
  std::vector<bool> finished_;  ///< by point
};

}  // namespace poet
