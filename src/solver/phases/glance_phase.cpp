// The first bound. In most problems the whole difficulty is one choice: what to keep at the peak. A
// moment model with one to four moments captures that choice in some hundred columns, where the
// collapsed model has ten thousand. Graphs without a backward pass have no collapsed model: there
// more moments are looked at.
//
// Linear relaxations come first, with more and more moments while that raises the bound, and count
// for what their prices prove in whole numbers. Then CBC branches in the smallest model that was
// nearly as good as any. A glance ends by its work, so that it proves the same on a busy machine;
// time is only a guard.
//
// Costs decide which columns a model has. So what finds nothing below the target proves the target,
// and never that there is no schedule: only a model without costs says that.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "solver/limits.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/moments/moments.hpp"
#include "solver/moments/prove.hpp"
#include "solver/phases/phases.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

GlanceLimits glance_limits(bool has_backward, bool fast) {
  if (has_backward) return kGlance;
  return fast ? kFastGlanceWithoutBackward : kGlanceWithoutBackward;
}

/// What is to be proven, and from which on models leave out what costs as much: the incumbent
/// within the gap, or a guess without one.
Joules target_of(const SolveState& state) {
  if (affordable_extra(state) < kInfinity) return provable_claim(state, state.incumbent.energy());
  return (1 + kGuessOfExtra) * state.base.energy_joules;
}

class GlancePhase {
 public:
  static constexpr const char* kPhase = "glance";

  GlancePhase(SolveState& state, GlanceEffort effort)
      : state_(state),
        first_(effort == GlanceEffort::first),
        glance_(effort != GlanceEffort::all),
        limits_(glance_limits(graph().has_backward(), state.fast())),
        target_(target_of(state)),
        costs_(costs_for_claim(graph(), target_)),
        work_before_(state.work.moves()) {}

  ModelVerdict run() {
    if (costs_.target <= 0) return ModelVerdict::open;  // nothing costs anything
    if (grow() == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    return first_ ? ModelVerdict::open : search();
  }

 private:
  /// A moment model with its rows, and what its linear relaxation came to.
  struct Trial {
    std::vector<int> moments;
    MomentModel model;
    std::vector<ProofRow> rows;
    std::size_t nonzeros = 0;
    std::int64_t units = 0;
  };

  const Graph& graph() const { return state_.problem.graph; }
  bool done() { return work_left() <= 0 || state_.done(); }

  std::int64_t work_left() const {
    const std::int64_t done = state_.work.moves() - work_before_;
    return glance_ ? std::min(kGlanceWork - done, state_.work_left()) : state_.work_left();
  }

  Seconds share() const {
    const double glance =
        first_ || graph().has_backward() ? kGlanceShare : kGlanceShareWithoutBackward;
    const Seconds seconds = state_.share_of_time(glance_ ? glance : kRoundShareWithoutBackward);
    return std::min(std::max(kLeastGlanceTime, seconds), state_.clock.remaining());
  }

  int first_moments() const { return glance_ ? 1 : std::max(1, 2 * state_.glance_moments); }

  /// The linear relaxation with more and more moments, while that raises the bound.
  ModelVerdict grow() {
    const Countdown time(share());
    const int most = first_ ? 1 : glance_ ? limits_.moments : graph().size();
    const double least_gain = glance_ ? limits_.gain : kGainOfMoments;
    std::int64_t best = 0;
    std::size_t moments_before = 0;
    int without_gain = 0;
    for (int count = first_moments();
         count <= most && without_gain < 2 && !time.expired() && !done(); count *= 2) {
      const std::vector<int> moments = peak_moments(state_.problem, count);
      if (moments.size() == moments_before) break;
      moments_before = moments.size();
      Trial trial = build(moments, costs_);
      note_model(trial);
      if (trial.nonzeros > (glance_ && count > 1 ? kGlanceNonzeros : kMomentNonzeros)) break;
      const std::int64_t units = trial.units = relax(trial, time.remaining());
      if (infeasible_) return ModelVerdict::infeasible;
      const bool gained = static_cast<double>(units) > static_cast<double>(best) * (1 + least_gain);
      without_gain = gained ? 0 : without_gain + 1;
      best = std::max(best, units);
      if (!time.expired()) state_.glance_moments = std::max(state_.glance_moments, count);
      if (is_small(trial)) trials_.push_back(std::move(trial));
    }
    return ModelVerdict::open;
  }

  /// Once for the relaxation and for CBC.
  Trial build(const std::vector<int>& moments, const ProofCosts& costs) {
    const Seconds start = state_.clock.elapsed();
    Trial trial{.moments = moments, .model = {state_.problem, costs, moments, false}};
    trial.rows = moment_rows(trial.model);
    for (ProofRow& row : tight_ram_rows(trial.model)) trial.rows.push_back(std::move(row));
    for (const ProofRow& row : trial.rows) trial.nonzeros += row.terms.size();
    state_.statistics.build_seconds += state_.clock.elapsed() - start;
    return trial;
  }

  void note_model(const Trial& trial) {
    state_.note_model("poet-coarse", trial.rows.size(), trial.model.size(), trial.nonzeros);
  }

  /// Whether CBC may have it.
  bool is_small(const Trial& trial) const {
    return trial.nonzeros <= kGlanceSearchNonzeros &&
           (!glance_ || trial.moments.size() <= limits_.search_moments);
  }

  /// The units that the linear relaxation proves.
  std::int64_t relax(const Trial& trial, Seconds seconds) {
    std::int64_t units = 0;
    const auto take = [&](std::int64_t more) {
      units = std::max(units, more);
      if (more > 0) state_.incumbent.raise_bound(claim_of_bound(graph(), costs_, units), kPhase);
      return note();
    };
    const ProofAttempt attempt = relax(trial, costs_, seconds, take);
    take(attempt.units);
    if (attempt.status != ProofAttempt::Status::proven) return units;
    state_.incumbent.raise_bound(target_, kPhase);
    if (state_.incumbent.schedule()) return costs_.target;
    const ProofCosts no_costs = costs_for_infeasible(graph());
    const ProofAttempt at_any_cost = relax(build(trial.moments, no_costs), no_costs, seconds,
                                           [this](std::int64_t) { return note(); });
    infeasible_ = at_any_cost.status == ProofAttempt::Status::proven;
    if (infeasible_) state_.searches_without_result = 1;
    return costs_.target;
  }

  ProofAttempt relax(const Trial& trial, const ProofCosts& costs, Seconds seconds,
                     const std::function<bool(std::int64_t)>& take) {
    const Seconds start = state_.clock.elapsed();
    const ProofSearchLimits limits{.seconds = seconds, .root_only = true, .most_work = work_left()};
    const ChildAnswer<ProofAttempt> answer = search_proof_in_child(
        [&](const ProofReport& report) {
          return search_proof(trial.model, costs, trial.rows, limits, report);
        },
        seconds, state_.options.settings.memory_limit_bytes,
        [&](const ProofNews& now) { return take(now.units); });
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    if (!answer.result) {
      state_.work.add_failed(state_.work_left());
      return {};
    }
    state_.work.add_moves(answer.result->work);
    return *answer.result;
  }

  /// False if the solve must end.
  bool note(std::int64_t nodes = 0) {
    state_.report_progress(kPhase, state_.statistics.nodes + nodes);
    return !state_.stopping();
  }

  /// Branch and bound by CBC, least moments first.
  ModelVerdict search() {
    double best = 0;
    for (const Trial& trial : trials_) best = std::max(best, static_cast<double>(trial.units));
    std::vector<const Trial*> nearly_best;
    for (const Trial& trial : trials_) {
      if (static_cast<double>(trial.units) >= (1 - kNearlyBest) * best) {
        nearly_best.push_back(&trial);
      }
    }
    std::ranges::stable_sort(nearly_best, {}, [](const Trial* t) { return t->moments.size(); });
    if (glance_ && nearly_best.size() > 1) nearly_best.resize(1);
    for (const Trial* trial : nearly_best) {
      if (done()) break;
      if (!finds_nothing(*trial, costs_) || state_.incumbent.schedule()) continue;
      const ProofCosts no_costs = costs_for_infeasible(graph());
      const Trial at_any_cost = build(trial->moments, no_costs);
      note_model(at_any_cost);
      if (finds_nothing(at_any_cost, no_costs)) return ModelVerdict::infeasible;
    }
    return ModelVerdict::open;
  }

  /// Whether CBC finds no point of the model below the cutoff.
  bool finds_nothing(const Trial& trial, const ProofCosts& costs) {
    const ScaledMilp scaled =
        scale(moment_milp(trial.model, costs, trial.rows), state_.base.energy_joules);
    const Seconds start = state_.clock.elapsed();
    const MipOptions options{
        .cutoff = proof_cutoff(state_, scaled),
        .absolute_gap = scaled.to_units(state_.gap_joules()),
        .time_limit_seconds = share(),
        .memory_bytes = state_.options.settings.memory_limit_bytes,
        .node_limit = glance_ ? limits_.search_nodes : 0,
        .iterations = Work().iterations_until(work_left(), scaled.milp.columns.size()),
        .seed = state_.options.settings.seed,
        .heuristics = false};
    Stopwatch resting;
    double best = -kInfinity;
    const MipResult result = solve_mip(scaled.milp, options, [&](const MipProgress& now) {
      if (now.bound > best) {
        best = now.bound;
        resting = {};
      }
      take(scaled, costs, now.bound);
      const bool rests = !glance_ && !state_.refining &&
                         resting.elapsed() > kGlanceRestShare * options.time_limit_seconds;
      return note(now.nodes) && !rests;
    });
    SolveStatistics& statistics = state_.statistics;
    statistics.nodes += result.nodes;
    state_.work.add_search(scaled.milp.nonzeros());
    state_.work.add_iterations(result.iterations, scaled.milp.columns.size());
    statistics.milp_seconds += state_.clock.elapsed() - start;
    take(scaled, costs, result.bound);
    note();
    const bool nothing = result.status == MipResult::Status::finished && !result.values;
    if (nothing) state_.searches_without_result = result.searches;
    return nothing;
  }

  /// Takes a bound of CBC, which holds up to the target.
  void take(const ScaledMilp& scaled, const ProofCosts& costs, double bound) {
    if (costs.proves_infeasible() || bound == kInfinity) return;
    const double target = scaled.to_units(target_ - state_.base.energy_joules);
    raise_bound(state_, scaled, std::min(bound, target + scaled.rounding + kCutoffSlack), kPhase);
  }

  SolveState& state_;
  bool first_;
  bool glance_;
  GlanceLimits limits_;
  Joules target_;
  ProofCosts costs_;
  std::int64_t work_before_;
  bool infeasible_ = false;
  std::vector<Trial> trials_;
};

}  // namespace

ModelVerdict run_glance_phase(SolveState& state, GlanceEffort effort) {
  return GlancePhase(state, effort).run();
}

}  // namespace poet
