#include "solver/phases/phases.hpp"

#include <algorithm>

#include "solver/cutoff.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

constexpr int kMinMoments = 4;
constexpr int kMomentGrowth = 4;
constexpr int kGlanceNodes = 20;
/// Shares of the time left that a glance, and one of several rounds, may take; and the time that
/// CBC needs to achieve anything.
constexpr double kGlanceShare = 0.1;
constexpr double kRoundShare = 0.4;
constexpr Seconds kMinTime = 0.5;

ModelVerdict solve_with_moments(SolveState& state, int moments, SampledEffort effort) {
  const bool glance = effort == SampledEffort::glance;
  const Seconds start = state.clock.elapsed();
  const UsefulWindows windows = useful_windows(state.problem, true, affordable_extra(state));
  const Milp model = sampled_relaxation(state.problem, windows, moments);
  const ScaledMilp scaled = scale(model, state.base.energy_joules);
  const Seconds built = state.clock.elapsed();
  const Seconds share =
      std::max(kMinTime, state.share_of_time(glance ? kGlanceShare : kRoundShare));
  const MipOptions options{.cutoff = proof_cutoff(state, scaled),
                           .absolute_gap = scaled.to_units(state.gap_joules()),
                           .time_limit_seconds = std::min(share, state.clock.remaining()),
                           .node_limit = glance ? kGlanceNodes : 0,
                           .seed = state.options.settings.seed,
                           .heuristics = false};
  const auto progress = [&](const MipProgress& now) {
    raise_bound(state, scaled, now.bound);
    state.report_progress("sampled relaxation", state.statistics.nodes + now.nodes);
    return !state.stopping();
  };
  const MipResult result = solve_mip(scaled.milp, options, progress);
  raise_bound(state, scaled, result.bound);
  SolveStatistics& statistics = state.statistics;
  state.note_model("poet-coarse", scaled.milp);
  statistics.nodes += result.nodes;
  statistics.build_seconds += built - start;
  statistics.milp_seconds += state.clock.elapsed() - built;
  state.report_progress("sampled relaxation", statistics.nodes);
  const bool nothing = result.status == MipResult::Status::finished && !result.values;
  if (!nothing || options.cutoff < kInfinity) return ModelVerdict::open;
  state.searches_without_result = result.searches;
  return ModelVerdict::infeasible;
}

}  // namespace

ModelVerdict run_sampled_relaxation_phase(SolveState& state, SampledEffort effort) {
  const int most = effort == SampledEffort::glance ? kMinMoments : state.problem.graph.size();
  for (int moments = kMinMoments; moments <= most && !state.done(); moments *= kMomentGrowth) {
    if (solve_with_moments(state, moments, effort) == ModelVerdict::infeasible) {
      return ModelVerdict::infeasible;
    }
  }
  return ModelVerdict::open;
}

}  // namespace poet
