#include "solver/cutoff.hpp"

#include <algorithm>
#include <cmath>

namespace poet {

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
