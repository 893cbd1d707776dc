#include <algorithm>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "solver/incumbent.hpp"
#include "sweep/limits.hpp"

namespace poet {
namespace {

bool usable(const std::optional<SweepOutcome>& outcome) {
  return outcome && outcome->failure.empty();
}

/// A bound for looser limits holds for tighter ones.
void tighten_bound(const std::vector<SweepPoint>& points, int point, SweepOutcomes& outcomes) {
  SolveResult& result = outcomes[point]->result;
  for (std::size_t q = 0; q < points.size(); ++q) {
    if (!usable(outcomes[q])) continue;
    if (points[q].subject != points[point].subject) continue;
    if (!allows_as_much(points[q].limits, points[point].limits)) continue;
    result.lower_bound_joules =
        std::max(result.lower_bound_joules, outcomes[q]->result.lower_bound_joules);
  }
}

/// A schedule for tighter limits is one for looser ones.
void take_better_schedule(const std::vector<SweepPoint>& points, int point,
                          SweepOutcomes& outcomes) {
  SweepOutcome& outcome = *outcomes[point];
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!usable(outcomes[p]) || !outcomes[p]->result.schedule) continue;
    if (points[p].subject != points[point].subject) continue;
    if (!allows_as_much(points[point].limits, points[p].limits)) continue;
    const SolveResult& other = outcomes[p]->result;
    if (outcome.result.schedule && other.energy_joules >= outcome.result.energy_joules) continue;
    outcome.result.schedule = other.schedule;
    outcome.result.energy_joules = other.energy_joules;
    outcome.result.reason.clear();
    outcome.origin = SweepOutcome::Origin::reused;
    outcome.origin_point = static_cast<int>(p);
  }
}

void judge(int point, double gap, SolveResult& result) {
  if (!result.schedule) return;
  if (result.lower_bound_joules > result.energy_joules * (1 + kProofTolerance)) {
    throw InternalError(
        fmt::format("point {}: a schedule of {} J lies below the proven bound of {} J", point,
                    result.energy_joules, result.lower_bound_joules));
  }
  result.lower_bound_joules = std::min(result.lower_bound_joules, result.energy_joules);
  const bool proven =
      relative_gap(result.energy_joules, result.lower_bound_joules) <= gap + kProofTolerance;
  result.status = proven ? Status::optimal : Status::feasible;
}

}  // namespace

void settle_sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points, double gap,
                  SweepOutcomes& outcomes) {
  const auto for_each = [&](auto&& act) {
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (usable(outcomes[p])) act(static_cast<int>(p));
    }
  };
  for_each([&](int p) { take_better_schedule(points, p, outcomes); });
  for_each([&](int p) {
    Joules& bound = outcomes[p]->result.lower_bound_joules;
    bound = std::max(bound, grid.subjects[points[p].subject].base.energy_joules);
  });
  for_each([&](int p) { tighten_bound(points, p, outcomes); });
  for_each([&](int p) { judge(p, gap, outcomes[p]->result); });
}

}  // namespace poet
