#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "solver/incumbent.hpp"
#include "sweep/dominance.hpp"

namespace poet {
namespace {

bool usable(const std::optional<SweepOutcome>& outcome) {
  return outcome && outcome->failure.empty();
}

/// A schedule has been replayed and a proof has not. So if a schedule fits limits that are proven
/// infeasible, the proof is wrong, and so is whatever rests on it. The user has to know: nothing is
/// repaired.
class Contradictions {
 public:
  Contradictions(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                 const SweepOutcomes& outcomes)
      : grid_(grid), points_(points), outcomes_(outcomes) {}

  void refuse() const {
    for (int subject = 0; subject < static_cast<int>(grid_.subjects.size()); ++subject) {
      const std::vector<int> infeasible = points_of(
          subject, [](const SolveResult& result) { return result.status == Status::infeasible; });
      if (infeasible.empty()) continue;
      compare(subject, infeasible, grid_.subjects[subject].base.schedule, "the baseline");
      const auto solved =
          points_of(subject, [](const SolveResult& result) { return result.schedule.has_value(); });
      for (const int p : solved) {
        compare(subject, infeasible, *outcomes_[p]->result.schedule,
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

  void compare(int subject, const std::vector<int>& infeasible, const Schedule& schedule,
               const std::string& name) const {
    const Replay replay = replay_without_limits(grid_.subjects[subject].graph, schedule,
                                                grid_.subjects[subject].limits.paging_time);
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
};

/// A bound for looser limits holds for tighter ones. Returns the point whose bound it is.
int tighten_bound(const std::vector<SweepPoint>& points, int point, SweepOutcomes& outcomes) {
  int source = point;
  SolveResult& result = outcomes[point]->result;
  for (std::size_t q = 0; q < points.size(); ++q) {
    if (!usable(outcomes[q])) continue;
    if (points[q].subject != points[point].subject) continue;
    if (!dominates(points[q].limits, points[point].limits)) continue;
    const Joules bound = outcomes[q]->result.lower_bound_joules;
    if (bound <= result.lower_bound_joules) continue;
    result.lower_bound_joules = bound;
    source = static_cast<int>(q);
  }
  return source;
}

/// A schedule for tighter limits is one for looser ones.
void take_better_schedule(const std::vector<SweepPoint>& points, int point,
                          SweepOutcomes& outcomes) {
  SweepOutcome& outcome = *outcomes[point];
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!usable(outcomes[p]) || !outcomes[p]->result.schedule) continue;
    if (points[p].subject != points[point].subject) continue;
    if (!dominates(points[point].limits, points[p].limits)) continue;
    const SolveResult& other = outcomes[p]->result;
    // A proven optimum counts even if its schedule was not kept.
    const bool has_energy = outcome.result.schedule || outcome.result.status == Status::optimal;
    if (has_energy && other.energy_joules >= outcome.result.energy_joules) continue;
    outcome.result.schedule = other.schedule;
    outcome.result.energy_joules = other.energy_joules;
    outcome.result.reason.clear();
    outcome.origin = SweepOutcome::Origin::reused;
    outcome.origin_point = static_cast<int>(p);
  }
}

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

}  // namespace

void share_results(const SweepGrid& grid, const std::vector<SweepPoint>& points, double gap,
                   SweepOutcomes& outcomes) {
  const auto for_each = [&](auto&& act) {
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (usable(outcomes[p])) act(static_cast<int>(p));
    }
  };
  Contradictions(grid, points, outcomes).refuse();
  for_each([&](int p) { take_better_schedule(points, p, outcomes); });
  for_each([&](int p) {
    Joules& bound = outcomes[p]->result.lower_bound_joules;
    bound = std::max(bound, grid.subjects[points[p].subject].base.energy_joules);
  });
  std::vector<int> bound_of(points.size());
  for_each([&](int p) { bound_of[p] = tighten_bound(points, p, outcomes); });
  for_each([&](int p) { judge(p, bound_of[p], gap, *outcomes[p]); });
}

}  // namespace poet
