#include "solver/phases/phases.hpp"

#include <algorithm>
#include <vector>

#include "base/stopwatch.hpp"
#include "solver/formulation/moments.hpp"
#include "solver/formulation/sampled_relaxation.hpp"
#include "solver/limits.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/relaxation/row_loop.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

GlanceLimits glance_limits(bool has_backward, bool fast) {
  if (has_backward) return kGlance;
  return fast ? kFastGlanceWithoutBackward : kGlanceWithoutBackward;
}

/// The phase in its order: linear relaxations with more and more moments, then CBC with the moments
/// that were worth it.
///
/// Tried without success: four spread moments for CBC whatever the graph, which took 18 s for the
/// nineteen named problems where these take 1.3 s for better bounds; and rows that make a cumulated
/// column at least as large as its parts, which raise no bound.
class SampledPhase {
 public:
  SampledPhase(SolveState& state, SampledEffort effort)
      : state_(state),
        first_(effort == SampledEffort::first),
        glance_(effort != SampledEffort::all),
        windows_(useful_windows(state.problem, true, affordable_extra(state))),
        limits_(glance_limits(windows_.collapsed(), state.fast())) {}

  ModelVerdict run() {
    const auto peak = [this](int count) { return peak_moments(state_.problem, count); };
    const auto spread = [this](int count) {
      return spread_moments(graph(), windows_.first_stage, count);
    };
    if (grow(peak) == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    if (first_) return ModelVerdict::open;
    const bool wants_spread = !glance_ && windows_.collapsed();
    if (wants_spread && grow(spread) == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    return search();
  }

 private:
  /// What the linear relaxation came to with some moments.
  struct Trial {
    std::vector<int> moments;
    double bound = 0;
    std::size_t nonzeros = 0;
  };

  struct Built {
    SampledModel model;
    ScaledMilp scaled;
  };

  const Graph& graph() const { return state_.problem.graph; }

  Seconds share() const {
    const SampledShares& shares =
        first_ || windows_.collapsed() ? kSampledShares : kSampledSharesWithoutBackward;
    const Seconds seconds = state_.share_of_time(glance_ ? shares.glance : shares.round);
    return std::min(std::max(kLeastSampledTime, seconds), state_.clock.remaining());
  }

  int first_moments() const {
    if (glance_) return 1;
    return windows_.collapsed() ? kFirstMoments : std::max(1, 2 * state_.sampled_moments);
  }

  /// The linear relaxation with more and more of the moments that `place` returns, while that
  /// raises the bound.
  template <typename Place>
  ModelVerdict grow(const Place& place) {
    const Countdown time(share());
    const int most = first_ ? 1 : glance_ ? limits_.moments : graph().size();
    const double least_gain = glance_ ? limits_.gain : kGainOfMoments;
    double best = 0;
    std::size_t moments_before = 0;
    int without_gain = 0;
    for (int count = first_moments();
         count <= most && without_gain < 2 && !time.expired() && !state_.done(); count *= 2) {
      const std::vector<int> moments = place(count);
      if (moments.size() == moments_before) break;
      moments_before = moments.size();
      const Built built = build(moments);
      const std::size_t nonzeros = built.scaled.milp.nonzeros();
      if (nonzeros > (glance_ && count > 1 ? kGlanceNonzeros : kSampledNonzeros)) break;
      const RowLoopResult relaxed = relax(built, time.remaining());
      if (relaxed.status == RowLoopResult::Status::infeasible) {
        state_.searches_without_result = 1;
        return ModelVerdict::infeasible;
      }
      if (relaxed.status == RowLoopResult::Status::failed) break;
      const bool gained = relaxed.bound > best * (1 + least_gain);
      without_gain = gained ? 0 : without_gain + 1;
      best = std::max(best, relaxed.bound);
      if (!time.expired()) state_.sampled_moments = std::max(state_.sampled_moments, count);
      trials_.push_back({moments, relaxed.bound, nonzeros});
    }
    return ModelVerdict::open;
  }

  Built build(const std::vector<int>& moments) {
    const Seconds start = state_.clock.elapsed();
    Built built{.model = sampled_relaxation(state_.problem, windows_, moments)};
    built.scaled = scale(built.model.milp, state_.base.energy_joules);
    state_.statistics.build_seconds += state_.clock.elapsed() - start;
    state_.note_model("poet-coarse", built.scaled.milp);
    return built;
  }

  RowLoopResult relax(const Built& built, Seconds seconds) {
    const ScaledMilp& scaled = built.scaled;
    const Seconds start = state_.clock.elapsed();
    const RowLoopOptions options{.ceiling = proof_cutoff(state_, scaled),
                                 .cuts =
                                     [&](std::span<const double> values) {
                                       return sampled_cuts(built.model, graph(), values);
                                     },
                                 .least_gain = glance_ ? kGlanceRoundGain : kRoundGain,
                                 .most_work = state_.work_left(),
                                 .time_limit_seconds = seconds,
                                 .memory_bytes = state_.options.settings.memory_limit_bytes};
    const RowLoopResult result =
        run_row_loop(scaled.milp, options, [&](double bound) { return note(scaled, bound); });
    note(scaled, result.bound);
    state_.work.add_moves(result.work);
    if (result.work == 0) state_.work.add_failed(options.most_work);  // it gave no answer
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    return result;
  }

  /// Takes a bound; false if the solve must end.
  bool note(const ScaledMilp& scaled, double bound, std::int64_t nodes = 0) {
    raise_bound(state_, scaled, bound);
    state_.report_progress("sampled relaxation", state_.statistics.nodes + nodes);
    return !state_.stopping();
  }

  /// Branch and bound by CBC, least moments first.
  ModelVerdict search() {
    std::erase_if(trials_, [this](const Trial& trial) {
      return trial.nonzeros > kSampledSearchNonzeros ||
             (glance_ && trial.moments.size() > limits_.search_moments);
    });
    double best = 0;
    for (const Trial& trial : trials_) best = std::max(best, trial.bound);
    std::erase_if(trials_,
                  [&](const Trial& trial) { return trial.bound < (1 - kNearlyBest) * best; });
    std::stable_sort(trials_.begin(), trials_.end(), [](const Trial& a, const Trial& b) {
      return a.moments.size() < b.moments.size();
    });
    if (glance_ && trials_.size() > 1) trials_.resize(1);
    for (const Trial& trial : trials_) {
      if (state_.done()) break;
      if (search(trial.moments) == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    }
    return ModelVerdict::open;
  }

  ModelVerdict search(const std::vector<int>& moments) {
    const ScaledMilp scaled = build(moments).scaled;
    const Seconds start = state_.clock.elapsed();
    const MipOptions options{.cutoff = proof_cutoff(state_, scaled),
                             .absolute_gap = scaled.to_units(state_.gap_joules()),
                             .time_limit_seconds = share(),
                             .memory_bytes = state_.options.settings.memory_limit_bytes,
                             .node_limit = glance_ ? limits_.search_nodes : 0,
                             .iterations = state_.iterations_left(scaled.milp.columns.size()),
                             .seed = state_.options.settings.seed,
                             .heuristics = false};
    Stopwatch resting;
    double best = -kInfinity;
    const MipResult result = solve_mip(scaled.milp, options, [&](const MipProgress& now) {
      if (now.bound > best) {
        best = now.bound;
        resting = {};
      }
      const bool rests = !glance_ && !state_.refining &&
                         resting.elapsed() > kSampledRestShare * options.time_limit_seconds;
      return note(scaled, now.bound, now.nodes) && !rests;
    });
    SolveStatistics& statistics = state_.statistics;
    statistics.nodes += result.nodes;
    state_.work.add_search(scaled.milp.nonzeros());
    state_.work.add_iterations(result.iterations, scaled.milp.columns.size());
    statistics.milp_seconds += state_.clock.elapsed() - start;
    note(scaled, result.bound);
    const bool nothing = result.status == MipResult::Status::finished && !result.values;
    if (!nothing || options.cutoff < kInfinity) return ModelVerdict::open;
    state_.searches_without_result = result.searches;
    return ModelVerdict::infeasible;
  }

  SolveState& state_;
  bool first_;
  bool glance_;
  UsefulWindows windows_;
  GlanceLimits limits_;
  std::vector<Trial> trials_;
};

}  // namespace

ModelVerdict run_sampled_relaxation_phase(SolveState& state, SampledEffort effort) {
  return SampledPhase(state, effort).run();
}

}  // namespace poet
