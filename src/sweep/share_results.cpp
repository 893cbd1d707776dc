// The last pass over a sweep, when no more solves come. Points were solved from loose to tight, so
// a point could not know what tighter ones found later; their schedules are within its limits as
// well. With them no energy rises as limits loosen, which readers of a curve rely on. Bounds go the
// other way, from loose to tight, and only within one order of the nodes.
//
// Schedules come first: a status depends on both, and is set anew after both have moved. All pairs
// of points are compared by their limits alone; schedules are replayed only if some point is said
// to have none.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "report/summary.hpp"
#include "solver/incumbent.hpp"
#include "sweep/dominance.hpp"
#include "sweep/ordered_subject.hpp"

namespace poet {
namespace {

bool usable(const std::optional<SweepOutcome>& outcome) {
  return outcome && outcome->failure.empty();
}

/// A schedule has been replayed and a proof has not. So if a schedule fits limits that are proven
/// infeasible, the proof is wrong, and so is all that rests on it. The user has to know: nothing is
/// repaired.
class Contradictions {
 public:
  Contradictions(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                 const SweepOutcomes& outcomes, OrderKind kind, CopyChoice copies)
      : grid_(grid), points_(points), outcomes_(outcomes), kind_(kind), copies_(copies) {}

  void refuse() const {
    for (int subject = 0; subject < static_cast<int>(grid_.subjects.size()); ++subject) {
      const std::vector<int> infeasible = points_of(
          subject, [](const SolveResult& result) { return result.status == Status::infeasible; });
      if (infeasible.empty()) continue;
      compare(subject, infeasible, {grid_.subjects[subject].base.schedule}, "the baseline");
      const auto solved =
          points_of(subject, [](const SolveResult& result) { return result.schedule.has_value(); });
      for (const int p : solved) {
        const SweepOutcome& with = *outcomes_[p];
        if (kind_ != OrderKind::search && !with.order.empty()) continue;
        if (copies_ == CopyChoice::none && !with.copies.tensors.empty()) continue;
        compare(subject, infeasible, {*with.result.schedule, with.order, with.copies},
                fmt::format("the schedule of point {}", p));
      }
    }
  }

 private:
  template <typename Is>
  std::vector<int> points_of(int subject, Is is) const {
    std::vector<int> found;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (points_[p].subject != subject || !usable(outcomes_[p])) continue;
      if (is(outcomes_[p]->result)) found.push_back(static_cast<int>(p));
    }
    return found;
  }

  void compare(int subject, const std::vector<int>& infeasible, const OrderedSchedule& schedule,
               const std::string& name) const {
    const OrderedSubject in_order(grid_.subjects[subject], schedule.order, schedule.copies);
    const Replay replay = replay_without_limits(in_order.get().graph, schedule.schedule,
                                                in_order.get().limits.paging_time);
    if (!replay.valid()) return;  // no schedule after all; its own point reports that
    for (const int p : infeasible) {
      if (!fits(replay, points_[p].limits)) continue;
      throw InternalError(
          fmt::format("point {} is proven infeasible, but {} fits its limits", p, name));
    }
  }

  const SweepGrid& grid_;
  const std::vector<SweepPoint>& points_;
  const SweepOutcomes& outcomes_;
  OrderKind kind_;
  CopyChoice copies_;
};

/// The status is set anew, since the schedule or the bound may have come from another point.
void judge(int point, int bound_of, double gap, SweepOutcome& outcome) {
  SolveResult& result = outcome.result;
  if (!result.schedule) return;
  if (result.lower_bound_joules > result.energy_joules * (1 + kProofTolerance)) {
    const auto [needs, bound] = distinct(result.energy_joules, result.lower_bound_joules);
    throw InternalError(fmt::format(
        "point {}: the schedule of point {} needs {} J, below the bound of {} J that "
        "is proven for point {}",
        point, outcome.origin_point >= 0 ? outcome.origin_point : point, needs, bound, bound_of));
  }
  result.lower_bound_joules = std::min(result.lower_bound_joules, result.energy_joules);
  const bool proven =
      relative_gap(result.energy_joules, result.lower_bound_joules) <= gap + kProofTolerance;
  result.status = proven ? Status::optimal : Status::feasible;
}

/// Better by more than sums of the same costs differ that are added up in other orders.
bool is_better(const SweepOutcome& now, const SweepOutcome& other) {
  // A proven optimum counts even if its schedule was not kept.
  if (!now.result.schedule && now.result.status != Status::optimal) return true;
  const Joules energy = other.result.energy_joules;
  if (energy >= now.result.energy_joules) return false;
  return (now.order == other.order && now.copies == other.copies) ||
         !agree(energy, now.result.energy_joules);
}

class Sharing {
 public:
  Sharing(const SweepGrid& grid, const std::vector<SweepPoint>& points, SweepOutcomes& outcomes)
      : grid_(grid), points_(points), outcomes_(outcomes), proven_(points.size()) {
    std::vector<std::string> own;
    for (const Subject& subject : grid_.subjects) own.push_back(subject.order_sha256());
    for_each([&](int p) {
      const int subject = points_[p].subject;
      const auto& [order, copies] = std::tie(outcomes_[p]->order, outcomes_[p]->copies);
      const OrderedSubject in_order(grid_.subjects[subject], order, copies);
      const bool is_own = order.empty() && copies.tensors.empty();
      proven_[p] = {.joules = outcomes_[p]->result.lower_bound_joules,
                    .order_sha256 = is_own ? own[subject] : in_order.get().order_sha256()};
    });
    for (const OrderBound& bound : proven_) order_sha256_.push_back(bound.order_sha256);
  }

  // In two passes over all points, so that no bound is judged against a schedule that is still to
  // move.
  void run(double gap) {
    for_each([&](int p) { take_better_schedule(p); });
    for_each([&](int p) { judge(p, take_best_bound(p), gap, *outcomes_[p]); });
  }

 private:
  template <typename Act>
  void for_each(const Act& act) {
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (usable(outcomes_[p])) act(static_cast<int>(p));
    }
  }

  /// A schedule for tighter limits is one for looser ones, in any order.
  void take_better_schedule(int point) {
    SweepOutcome& outcome = *outcomes_[point];
    for_each([&](int p) {
      const SweepOutcome& other = *outcomes_[p];
      if (!other.result.schedule || points_[p].subject != points_[point].subject) return;
      if (!dominates(points_[point].limits, points_[p].limits)) return;
      if (!is_better(outcome, other)) return;
      outcome.result.schedule = other.result.schedule;
      outcome.result.energy_joules = other.result.energy_joules;
      outcome.result.reason.clear();
      outcome.order = other.order;
      outcome.copies = other.copies;
      order_sha256_[point] = order_sha256_[p];
      outcome.given_order.reset();
      outcome.origin = SweepOutcome::Origin::reused;
      outcome.origin_point = p;
      std::optional<Joules>& given = outcome.given_order_energy_joules;
      const std::optional<Joules>& also = other.given_order_energy_joules;
      if (also) given = given ? std::min(*given, *also) : *also;
      std::optional<Joules>& uncopied = outcome.uncopied_energy_joules;
      const std::optional<Joules>& found = other.uncopied_energy_joules;
      if (found) uncopied = uncopied ? std::min(*uncopied, *found) : *found;
    });
  }

  /// A bound for looser limits holds for tighter ones in the same order; no schedule in any order
  /// is below the baseline. Returns the point whose bound it is.
  int take_best_bound(int point) {
    int source = point;
    const std::string& order = order_sha256_[point];
    SolveResult& result = outcomes_[point]->result;
    result.lower_bound_joules = grid_.subjects[points_[point].subject].base.energy_joules;
    const auto offer = [&](int p) {
      if (proven_[p].order_sha256 != order) return;
      if (proven_[p].joules <= result.lower_bound_joules) return;
      result.lower_bound_joules = proven_[p].joules;
      if (p != point) result.statistics.bound_by = kGivenBound;
      source = p;
    };
    offer(point);  // on equal terms it keeps its own
    for_each([&](int p) {
      if (points_[p].subject != points_[point].subject) return;
      if (dominates(points_[p].limits, points_[point].limits)) offer(p);
    });
    return source;
  }

  const SweepGrid& grid_;
  const std::vector<SweepPoint>& points_;
  SweepOutcomes& outcomes_;
  std::vector<OrderBound> proven_;         ///< by point: what its solve has proven
  std::vector<std::string> order_sha256_;  ///< by point: of the order of its schedule
};

}  // namespace

void share_results(const SweepGrid& grid, const std::vector<SweepPoint>& points, double gap,
                   SweepOutcomes& outcomes, OrderKind order, CopyChoice copies) {
  Contradictions(grid, points, outcomes, order, copies).refuse();
  Sharing(grid, points, outcomes).run(gap);
}

}  // namespace poet
