#include "solver/incumbent.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"

namespace poet {

Incumbent::Incumbent(const Problem& problem, const Baseline& base)
    : problem_(problem),
      baseline_energy_(base.energy_joules),
      energy_(std::numeric_limits<double>::infinity()),
      bound_(base.energy_joules) {}

/// The energy counts as the replay sums it up. What the search or a model thought it would be does
/// not matter.
bool Incumbent::offer(Schedule schedule, const std::function<bool()>& stop) {
  for (Stage& stage : schedule.stages) {
    // In a file they may lie in any order.
    if (!std::ranges::is_sorted(stage.resident)) std::ranges::sort(stage.resident);
  }
  const auto replay = simulate_until(problem_.graph, schedule, problem_.limits, stop);
  if (!replay || !replay->valid() || replay->energy_joules >= energy_) return false;
  schedule_ = std::move(schedule);
  energy_ = replay->energy_joules;
  if (bound_ > energy_ * (1 + kProofTolerance)) {
    const auto [low, bound] = distinct(energy_, bound_);
    throw InternalError(
        fmt::format("a schedule of {} J lies below the proven bound of {} J", low, bound));
  }
  bound_ = std::min(bound_, energy_);
  return true;
}

void Incumbent::refuse_infeasible(std::string_view who) const {
  if (!schedule_) return;
  throw InternalError(fmt::format(
      "{} says that no schedule fits the budgets, but a schedule of {} has been replayed within "
      "them",
      who, format_joules(energy_)));
}

void Incumbent::raise_bound(Joules bound, std::string_view phase) {
  bound = std::min(bound, energy_);
  if (bound <= bound_) return;
  bound_ = bound;
  bound_by_ = phase;
}

bool Incumbent::proven(double gap) const {
  return schedule_ && relative_gap(energy_, bound_) <= gap + kProofTolerance;
}

bool Incumbent::refined(double extra_gap) const {
  return proven(0) ||
         (schedule_ && relative_extra_gap(energy_, bound_, baseline_energy_) <= extra_gap);
}

}  // namespace poet
