#include "solver/cutoff.hpp"

#include <cmath>

namespace poet {

Joules affordable_extra(const SolveState& state) {
  const Incumbent& incumbent = state.incumbent;
  if (!incumbent.schedule() || !state.options.settings.features.windows) return kInfinity;
  // Rounding must not close a window on the best schedule.
  return incumbent.extra_energy() + kProofTolerance * incumbent.energy();
}

double proof_cutoff(const SolveState& state, const ScaledMilp& scaled) {
  if (!state.incumbent.schedule()) return kInfinity;
  const Joules target = state.incumbent.extra_energy() - state.gap_joules();
  return scaled.to_units(target) + scaled.rounding + 2 * kCutoffSlack;
}

void raise_bound(SolveState& state, const ScaledMilp& scaled, double units) {
  if (!std::isfinite(units)) return;
  const Joules extra = scaled.to_joules(units - scaled.rounding - kCutoffSlack);
  state.incumbent.raise_bound(state.base.energy_joules + extra);
}

}  // namespace poet
