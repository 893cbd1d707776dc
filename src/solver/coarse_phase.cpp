#include "solver/coarse_phase.hpp"

#include <algorithm>

#include "solver/formulation/coarse_model.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/proof.hpp"

namespace poet {
namespace {

constexpr int kFewWindows = 4;
constexpr int kWindowGrowth = 4;
constexpr int kGlanceNodes = 20;
/// Shares of the time left that a glance, and a round of several, may take; and the time that CBC
/// needs to come to anything.
constexpr double kGlanceShare = 0.1;
constexpr double kRoundShare = 0.4;
constexpr Seconds kLeastTime = 0.5;

ModelVerdict solve_coarse(SolveState& state, int windows, CoarseEffort effort) {
  const bool glance = effort == CoarseEffort::glance;
  const Seconds start = state.clock.elapsed();
  const Scope scope = make_scope(state.problem, true, affordable_extra(state));
  const Milp model = coarse_model(state.problem, scope, windows);
  const ScaledMilp scaled = scale(model, state.base.energy_joules);
  const Seconds built = state.clock.elapsed();
  const Seconds share =
      std::max(kLeastTime, state.share_of_time(glance ? kGlanceShare : kRoundShare));
  const MipOptions options{.cutoff = proof_cutoff(state, scaled),
                           .absolute_gap = scaled.to_units(state.gap_joules()),
                           .time_limit_seconds = std::min(share, state.clock.remaining()),
                           .node_limit = glance ? kGlanceNodes : 0,
                           .seed = state.options.seed,
                           .heuristics = false};
  const auto progress = [&](const MipProgress& now) {
    raise_bound(state, scaled, now.bound);
    state.tell("coarse relaxation", state.report.nodes + now.nodes);
    return !state.stopping();
  };
  const MipResult result = solve_mip(scaled.milp, options, progress);
  raise_bound(state, scaled, result.bound);
  SolverReport& report = state.report;
  note_model(report, "poet-coarse", scaled.milp);
  report.nodes += result.nodes;
  report.build_seconds += built - start;
  report.milp_seconds += state.clock.elapsed() - built;
  state.tell("coarse relaxation", report.nodes);
  const bool nothing = result.status == MipResult::Status::finished && !result.values;
  if (!nothing || options.cutoff < kInfinity) return ModelVerdict::open;
  return confirm_infeasible(state, scaled.milp, options) ? ModelVerdict::infeasible
                                                         : ModelVerdict::open;
}

}  // namespace

ModelVerdict run_coarse_phase(SolveState& state, CoarseEffort effort) {
  const int most = effort == CoarseEffort::glance ? kFewWindows : state.problem.graph.size();
  for (int windows = kFewWindows; windows <= most && !state.done(); windows *= kWindowGrowth) {
    if (solve_coarse(state, windows, effort) == ModelVerdict::infeasible) {
      return ModelVerdict::infeasible;
    }
  }
  return ModelVerdict::open;
}

}  // namespace poet
