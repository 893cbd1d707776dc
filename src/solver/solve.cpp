#include "poet/solve.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/least_runtime.hpp"
#include "solver/limits.hpp"
#include "solver/phases/phases.hpp"
#include "solver/search/local_search.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

/// The driver: instant verdicts, local search, a glance at moment models, proofs in them, the
/// collapsed model and the full model, in turn until the gap is met or time is up. Cheap phases go
/// first because they settle most problems, and each leaves the next a smaller one: a better
/// incumbent narrows the windows by cost, and a better bound brings the cutoff closer.
class Solve {
 public:
  Solve(const Problem& problem, const SolveOptions& options) : state_(problem, options) {}

  SolveResult run() {
    state_.statistics.formulation = "none";
    const Verdict verdict = instant_verdict(state_.problem, state_.base);
    switch (verdict.kind) {
      case Verdict::Kind::optimal:
        state_.offer(state_.base.schedule);
        if (!state_.incumbent.schedule()) throw InternalError("the baseline does not replay");
        result_.reason = verdict.reason;
        break;
      case Verdict::Kind::infeasible:
        if (state_.options.start) state_.offer(*state_.options.start);
        state_.incumbent.refuse_infeasible("the verdict without a search");
        result_.node = verdict.node;
        declare_infeasible(verdict.reason, verdict.smallest_ram_bytes,
                           verdict.smallest_ram_is_exact);
        break;
      case Verdict::Kind::open:
        search();
        break;
    }
    return finish();
  }

 private:
  const Limits& limits() const { return state_.problem.limits; }

  /// Keeps the results so far if memory runs out.
  void search() {
    try {
      if (find_schedules() && !state_.done()) {
        solve_models();
        settle();
      }
      if (state_.begin_refining()) refine();
    } catch (const std::bad_alloc&) {
      if (!state_.proven()) state_.trouble = "out of memory";
    }
  }

  /// Returns false if the problem is proven infeasible.
  bool find_schedules() {
    const SolveOptions& options = state_.options;
    if (options.known_bound_joules > 0) {
      state_.incumbent.raise_bound(options.known_bound_joules, kGivenBound);
    }
    if (options.start) state_.offer(*options.start);
    // Otherwise a short time limit ends without a bound.
    if (state_.problem.graph.size() >= kSlowDescentNodes) {
      glance(GlanceEffort::first);
      if (result_.status == Status::infeasible) return false;
    }
    run_search_phase(state_, LocalSearchOptions{}.moves, kSearchShare);
    // Last, as it is mostly worse than what the search finds, and would lead it another way.
    if (options.suggest && !state_.stopping()) {
      if (const auto suggested = options.suggest(state_.problem)) state_.offer(*suggested);
    }
    return true;
  }

  /// The gap is met; the state has the target now, and how much work may go into it. A local search
  /// that the gap cut short comes first, as in any other solve.
  void refine() {
    const std::int64_t missed = LocalSearchOptions{}.moves - state_.work.moves();
    if (missed > 0) run_search_phase(state_, missed, kSearchShare);
    if (!state_.done()) solve_models();
    if (!state_.done()) run_search_phase(state_, state_.work_left(), kSearchShare);
    // What was asked for is proven.
    state_.trouble.clear();
    not_built_.clear();
  }

  void solve_models() {
    const SolverFeatures& features = state_.options.settings.features;
    const bool small = state_.problem.graph.size() <= state_.options.small_graph;
    if (!small && !glance(GlanceEffort::glance)) return;
    if (!small && features.collapse) {
      const bool proves = state_.problem.graph.has_backward();
      if (proves && !take(run_proof_phase(state_, kProofBeforeModel))) return;
      if (state_.done()) return;
      if (!solve_model(ModelKind::collapsed) || state_.done()) return;
      if (state_.fast() || state_.refining) return;
    }
    solve_model(ModelKind::full);
  }

  /// All models have been searched, and no limit was reached. CBC takes points for schedules that
  /// exceed a budget by what it tolerates, and cannot rule them out. Whole numbers can.
  void settle() {
    const bool ended_early = !state_.trouble.empty() || !not_built_.empty();
    if (result_.status == Status::infeasible || state_.done() || ended_early) return;
    take(run_proof_phase(state_, kProofAtTheEnd));
  }

  /// Returns false if nothing is left to do.
  bool glance(GlanceEffort effort) {
    if (!state_.options.settings.features.glance) return true;
    return take(run_glance_phase(state_, effort)) && !state_.done();
  }

  /// Returns false if no further model should be tried.
  bool solve_model(ModelKind kind) {
    UsefulWindows windows = windows_of(kind);
    ExpectedSize size = size_of(windows);
    const bool large = size.nonzeros > state_.most_complete_nonzeros();
    if (state_.refining) {
      const std::int64_t built = large ? size.on_demand : size.nonzeros;
      if (built > state_.share_of_work(kRefiningModelShare)) return false;
    } else if (large && !state_.fast()) {
      if (!look_without_model()) return false;
      windows = windows_of(kind);
      size = size_of(windows);
    }
    if (state_.stopping()) return false;
    // A fast solve has no time for a relaxation that large.
    const std::int64_t needed = state_.fast() ? size.nonzeros : size.on_demand;
    if (needed > state_.most_nonzeros()) {
      give_up_on_model(needed);
      return false;
    }
    return take(run_model_phase(state_, kind, windows),
                kind == ModelKind::collapsed ? "the collapsed model" : "the full model");
  }

  UsefulWindows windows_of(ModelKind kind) const {
    return useful_windows(state_.problem, kind == ModelKind::collapsed, affordable_extra(state_),
                          stop_);
  }

  ExpectedSize size_of(const UsefulWindows& windows) const {
    return expected_size(state_.problem.graph, windows, stop_);
  }

  /// The relaxation of a large model takes minutes. Before it come a longer local search, a proof
  /// in moment models and, without a backward pass, a longer look at more moments, once; this look
  /// before the proof if it is far. Without them the exact step of `resnet50` with 40 % of its RAM
  /// stays open. Returns false if nothing is left to do.
  bool look_without_model() {
    if (std::exchange(looked_, true)) return true;
    run_search_phase(state_, kLargeModelMoves, kLargeModelShare);
    const bool looks = !state_.problem.graph.has_backward();
    const bool far =
        looks && state_.incumbent.schedule() && !state_.incumbent.refined(kFarFromProof);
    if (far && !glance(GlanceEffort::all)) return false;
    return take(run_proof_phase(state_, kProofBeforeLargeModel)) && !state_.done() &&
           (far || !looks || glance(GlanceEffort::all));
  }

  /// The solver has not failed: the user set the limit.
  void give_up_on_model(std::int64_t nonzeros) {
    not_built_ = fmt::format(
        "the model would have about {:.1f} million nonzeros and was not built: a proof would take "
        "more memory than the {} of --memory-limit",
        1e-6 * static_cast<double>(nonzeros),
        format_bytes(state_.options.settings.memory_limit_bytes));
  }

  /// Returns false, and declares the problem infeasible, if a phase found it to be.
  bool take(ModelVerdict verdict, std::string_view who = "the moment model") {
    if (verdict == ModelVerdict::open) return true;
    state_.incumbent.refuse_infeasible(who);
    declare_infeasible(
        fmt::format("no schedule fits {} bytes of RAM within {} of runtime with the techniques "
                    "allowed: {} of the model found none; keeping everything takes {} bytes, and "
                    "sweep --min-ram finds the smallest RAM budget that works{}",
                    limits().ram_budget_bytes, format_seconds(limits().runtime_budget_seconds),
                    state_.searches_without_result == 2 ? "two searches" : "a search",
                    state_.base.peak_ram_bytes,
                    limits().techniques.remat && !has_all_time()
                        ? "; a larger --runtime-budget may help as well"
                        : ""),
        std::nullopt, false);
    return false;
  }

  /// Whether no schedule exceeds the runtime budget: no stage computes a node twice.
  bool has_all_time() const {
    return limits().runtime_budget_seconds >=
           state_.problem.graph.size() * state_.base.runtime_seconds;
  }

  void declare_infeasible(std::string reason, std::optional<Bytes> smallest, bool exact) {
    result_.status = Status::infeasible;
    result_.reason = std::move(reason);
    result_.smallest_ram_bytes = smallest;
    result_.smallest_ram_is_exact = exact;
    if (!smallest || exact || *smallest <= limits().ram_budget_bytes) return;
    // The bound is exact if a schedule reaches it, which is cheap to try.
    Problem smaller = state_.problem;
    smaller.limits.ram_budget_bytes = *smallest;
    const auto schedule = first_schedule(smaller, [&] { return state_.stopping(); });
    result_.smallest_ram_is_exact =
        schedule && simulate(smaller.graph, *schedule, smaller.limits).valid();
  }

  /// What ended a search without a verdict. With a schedule, a limit needs no word.
  std::string why_open() {
    const bool has_schedule = state_.incumbent.schedule().has_value();
    if (state_.stopping() || state_.fast()) {
      return has_schedule
                 ? ""
                 : fmt::format(
                       "no schedule was found {}; the problem may be feasible or not",
                       state_.stopping() ? "before a limit was reached" : "by --effort fast");
    }
    return fmt::format(
        "the search ended, though no limit was reached: within its tolerances, some 1e-8 of a "
        "budget, {}",
        has_schedule ? "the gap stays open"
                     : "it found neither a schedule nor a proof that there is none");
  }

  SolveResult finish() {
    state_.statistics.wall_seconds = state_.clock.elapsed();
    state_.statistics.bound_by = state_.incumbent.bound_by();
    result_.statistics = state_.statistics;
    result_.interrupted = state_.interrupted;
    result_.solver_failed = !state_.trouble.empty();
    if (result_.status == Status::infeasible) return std::move(result_);
    if (result_.reason.empty()) result_.reason = not_built_.empty() ? state_.trouble : not_built_;
    const Incumbent& incumbent = state_.incumbent;
    result_.lower_bound_joules = incumbent.bound();
    if (result_.reason.empty() && !state_.proven()) result_.reason = why_open();
    if (!incumbent.schedule()) {
      result_.status = Status::unknown;
      return std::move(result_);
    }
    result_.schedule = incumbent.schedule();
    result_.energy_joules = incumbent.energy();
    result_.status = state_.proven() ? Status::optimal : Status::feasible;
    return std::move(result_);
  }

  SolveState state_;
  std::function<bool()> stop_ = [this] { return state_.stopping(); };
  SolveResult result_;
  bool looked_ = false;    ///< look_without_model() was called
  std::string not_built_;  ///< why the memory limit kept a model from being built, in words
};

}  // namespace

SolveResult solve(const Problem& problem, const SolveOptions& options) {
  if (options.settings.objective == Objective::runtime) {
    return solve_for_runtime(problem, options);
  }
  return Solve(problem, options).run();
}

}  // namespace poet
