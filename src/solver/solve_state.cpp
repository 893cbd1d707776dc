#include "solver/solve_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/limits.hpp"
#include "solver/search/local_search.hpp"

namespace poet {

bool SolveState::stopping() {
  if (!interrupted && options.interrupted && options.interrupted()) interrupted = true;
  return interrupted || clock.expired();
}

bool SolveState::reached() const {
  return refining ? incumbent.refined(kExtraGap) : proven();
}

/// As much work again as so far, so that a solve takes at most twice as long. A greedy schedule can
/// meet the gap at once and cut the local search short: the work is then what all of that search
/// would have been.
bool SolveState::begin_refining() {
  if (!options.refine || fast() || stopping() || !proven() || incumbent.refined(kExtraGap)) {
    return false;
  }
  refining = true;
  most_work = 2 * std::max(work.moves(), LocalSearchOptions{}.moves);
  report_progress("proven within the gap; refining the extra energy");
  return true;
}

std::int64_t SolveState::share_of_work(double share) const {
  if (most_work == kNoLimit) return kNoLimit;
  return static_cast<std::int64_t>(share * static_cast<double>(work_left()));
}

Seconds SolveState::time_for_step(double share) const {
  const Seconds seconds = share_of_time(share);
  return fast() ? std::min(seconds, kFastStep) : seconds;
}

Joules SolveState::gap_of(Joules energy) const {
  if (refining) return kExtraGap * (energy - base.energy_joules);
  return options.settings.gap * energy;
}

Joules SolveState::gap_joules() const {
  return gap_of(incumbent.schedule() ? incumbent.energy() : base.energy_joules);
}

void SolveState::report_progress(const std::string& phase, std::int64_t nodes) {
  if (!options.progress) return;
  options.progress({.phase = phase,
                    .elapsed_seconds = clock.elapsed(),
                    .nodes = nodes,
                    .incumbent_joules = incumbent.energy(),
                    .bound_joules = incumbent.bound(),
                    .bound_by = incumbent.bound_by(),
                    .baseline_joules = base.energy_joules});
}

bool SolveState::offer(Schedule schedule) {
  const bool first = !incumbent.schedule();
  const Countdown rest(kReplayRest);
  // The first one is replayed to its end: without any, all was in vain.
  const bool better =
      incumbent.offer(std::move(schedule), [&] { return stopping() && !first && rest.expired(); });
  if (better && first) statistics.first_schedule_seconds = clock.elapsed();
  if (better && options.improved) options.improved(*incumbent.schedule());
  return better;
}

bool SolveState::offer_or_repair(const Schedule& schedule) {
  if (offer(schedule)) return true;
  const auto fitting = repaired(problem, schedule, [&] { return stopping(); });
  return fitting && offer(*fitting);
}

void SolveState::note_model(const char* formulation, std::size_t rows, std::size_t columns,
                            std::size_t nonzeros) {
  if (static_cast<std::int64_t>(nonzeros) < statistics.nonzeros) return;
  statistics.formulation = formulation;
  statistics.rows = static_cast<int>(rows);
  statistics.columns = static_cast<int>(columns);
  statistics.nonzeros = static_cast<std::int64_t>(nonzeros);
}

bool has_dear_transfers(const SolveState& state) {
  // If computing costs nothing, the dearest price is the unit's measure.
  if (!state.problem.limits.techniques.paging || state.base.energy_joules == 0) return false;
  Joules dearest = 0;
  for (const Node& node : state.problem.graph.nodes) {
    if (!node.page) continue;
    dearest = std::max({dearest, node.page_in_energy_joules, node.page_out_energy_joules});
  }
  return dearest * units_per_joule(0, state.base.energy_joules) > kDearestColumn;
}

Joules affordable_extra(const SolveState& state) {
  const Incumbent& incumbent = state.incumbent;
  if (!incumbent.schedule()) return kInfinity;
  if (!state.options.settings.features.windows && !has_dear_transfers(state)) return kInfinity;
  // Rounding must not close a window on the best schedule.
  return incumbent.extra_energy() + kProofTolerance * incumbent.energy();
}

Joules provable_claim(const SolveState& state, Joules energy) {
  constexpr double kSlack = 1e-6;  // of the gap
  return energy - (1 - kSlack) * state.gap_of(energy);
}

double proof_cutoff(const SolveState& state, const ScaledMilp& scaled) {
  if (!state.incumbent.schedule()) return kInfinity;
  const Joules target = state.incumbent.extra_energy() - state.gap_joules();
  return scaled.to_units(target) + scaled.rounding + 2 * kCutoffSlack;
}

void raise_bound(SolveState& state, const ScaledMilp& scaled, double units,
                 std::string_view phase) {
  if (!std::isfinite(units)) return;
  const Joules extra = scaled.to_joules(units - scaled.rounding - kCutoffSlack);
  state.incumbent.raise_bound(state.base.energy_joules + extra, phase);
}

}  // namespace poet
