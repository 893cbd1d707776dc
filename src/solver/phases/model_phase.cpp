#include "solver/phases/phases.hpp"

#include <algorithm>
#include <utility>

#include "solver/formulation/formulate.hpp"
#include "solver/limits.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/phases/polish.hpp"
#include "solver/phases/subproblem_search.hpp"
#include "solver/relaxation/count_branching.hpp"
#include "solver/relaxation/counts.hpp"
#include "solver/relaxation/root_loop.hpp"
#include "solver/solve_state.hpp"

namespace poet {
namespace {

/// The phase in its order: build, root loop, polish, rebuild, root loop, polish, a longer local
/// search if much is open, count branching, CBC.
///
/// The first root loop is short on purpose. Polishing needs only a picture of the optimum, and most
/// of the bound comes early; the better incumbent then narrows the windows by cost, and the second
/// loop runs on a smaller model, starting with the cuts of the first.
class ModelPhase {
 public:
  static constexpr const char* kCounts = "counts";

  ModelPhase(SolveState& state, ModelKind kind)
      : state_(state),
        name_(kind == ModelKind::collapsed ? "relaxation" : "full model"),
        collapse_(kind == ModelKind::collapsed) {}

  ModelVerdict run(const UsefulWindows& windows) {
    build(windows);
    if (!state_.incumbent.schedule() && has_dear_transfers(state_)) {
      if (find_any_schedule() == ModelVerdict::infeasible) return ModelVerdict::infeasible;
      if (!state_.incumbent.schedule() || state_.done()) return ModelVerdict::open;
      rebuild();
    }
    while (true) {
      const ModelVerdict verdict = solve();
      if (verdict == ModelVerdict::infeasible || state_.done() || !is_too_coarse()) return verdict;
      rebuild();
    }
  }

 private:
  const SolverFeatures& features() const { return state_.options.settings.features; }
  const Graph& graph() const { return state_.problem.graph; }
  Bytes memory() const { return state_.options.settings.memory_limit_bytes; }

  ModelVerdict solve() {
    if (state_.stopping()) return ModelVerdict::open;
    RootResult root;
    if (wants_root_loop() && !tighten(root)) return ModelVerdict::open;
    if (has_no_time_for_cbc()) return ModelVerdict::open;
    if (run_proof_phase(state_, kProofBeforeCounts) == ModelVerdict::infeasible) {
      return ModelVerdict::infeasible;
    }
    if (state_.done()) return ModelVerdict::open;
    return search(root);
  }

  ModelVerdict find_any_schedule() {
    if (state_.stopping() || has_no_time_for_cbc()) return ModelVerdict::open;
    return search_any_schedule(state_, name_, *model_, scaled_);
  }

  /// Whether the unit of this model is coarse beside the columns that the incumbent leaves. Each
  /// incumbent takes dearer columns out, so this ends.
  bool is_too_coarse() const {
    constexpr double kWorthAnotherModel = 10;
    Joules dearest = 0;
    for (const MilpColumn& column : model_->milp.columns) dearest = std::max(dearest, column.cost);
    const double units =
        units_per_joule(std::min(dearest, affordable_extra(state_)), state_.base.energy_joules);
    return units > kWorthAnotherModel * scaled_.units_per_joule;
  }

  bool has_no_time_for_cbc() const { return state_.fast() && !is_small(); }

  bool is_small() const { return graph().size() <= state_.options.small_graph; }

  bool wants_root_loop() const {
    // For small graphs CBC's own root is as good as ours.
    return features().root_loop && !is_small() && state_.incumbent.schedule();
  }

  void build(const UsefulWindows& windows) {
    const Seconds start = state_.clock.elapsed();
    const bool large = expected_size(graph(), windows).nonzeros > state_.most_complete_nonzeros();
    model_.emplace(formulate(state_.problem, windows,
                             large ? MemoryRowsWhen::on_demand : MemoryRowsWhen::always));
    scaled_ = scale(model_->milp, state_.base.energy_joules);
    state_.statistics.build_seconds += state_.clock.elapsed() - start;
    state_.work.add_model(scaled_.milp.nonzeros());
    state_.note_model(model_->windows.collapsed() ? "poet-collapsed" : "poet-full",
                      scaled_.milp.rows.size(), scaled_.milp.columns.size(),
                      scaled_.milp.nonzeros());
  }

  /// Cuts mean the same in the model that follows, numbers of rows do not.
  void rebuild(RootResult& root) {
    root.active_rows.clear();
    rebuild();
  }

  /// With a better incumbent the windows by cost are narrower, and the model is smaller.
  void rebuild() { build(useful_windows(state_.problem, collapse_, affordable_extra(state_))); }

  /// Raises the bound and improves the incumbent; leaves fixings and tight cuts in the model.
  /// Returns false if nothing is left to search.
  bool tighten(RootResult& root) {
    if (!run_root_loops(root))
      return root.status == RootResult::Status::failed && !state_.stopping();
    fix_columns(root);
    return true;
  }

  /// Returns false if there is nothing to continue with.
  bool run_root_loops(RootResult& root) {
    const bool twice = features().rebuild && !state_.fast();
    if (!relax_and_improve(root, twice || state_.fast() ? kFirstIterations : kNoLimit))
      return false;
    if (!twice || (!improved_ && root.complete)) return true;
    if (improved_) rebuild(root);
    return relax_and_improve(root, kNoLimit);
  }

  /// A root loop that starts with what the last has left, and polishing.
  bool relax_and_improve(RootResult& root, std::int64_t iterations) {
    root = relax(std::move(root), iterations);
    if (root.status != RootResult::Status::bounded || state_.done()) return false;
    improved_ = improve(root.values, root.bound);
    return !state_.done();
  }

  RootResult relax(RootResult last, std::int64_t iterations) {
    const Seconds start = state_.clock.elapsed();
    const bool tails = features().tail_cuts && collapse_ && !state_.fast();
    const Joules open_for_tails =
        tails ? kOpenForTails * state_.incumbent.extra_energy() : kInfinity;
    const RootOptions options{.ceiling = proof_cutoff(state_, scaled_),
                              .features = features(),
                              .rows = std::move(last.active_rows),
                              .cuts = std::move(last.active_cuts),
                              .again = last.complete,
                              .open_for_tails = scaled_.to_units(open_for_tails),
                              .iterations = iterations,
                              .most_work = state_.share_of_work(kRootWork),
                              .time_limit_seconds = state_.time_for_step(kRootShare),
                              .memory_bytes = memory()};
    RootResult root = run_root_loop(*model_, graph(), scaled_, options, [&](double bound) {
      raise_bound(state_, scaled_, bound, name_);
      state_.report_progress(name_);
      return !state_.stopping();
    });
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    state_.work.add_moves(root.work);
    if (root.work == 0) state_.work.add_failed(options.most_work);  // it gave no answer
    raise_bound(state_, scaled_, root.bound, name_);
    return root;
  }

  /// Returns true if polishing found a better schedule. Repeats while it does, since the
  /// neighbourhood moves with the incumbent.
  bool improve(const std::vector<double>& relaxed, double bound) {
    if (!features().polish || relaxed.empty()) return false;
    const Seconds start = state_.clock.elapsed();
    bool improved = false;
    while (!state_.done() && polish_once(relaxed, bound, state_.work_left())) {
      improved = true;
      state_.report_progress("polishing");
    }
    state_.statistics.milp_seconds += state_.clock.elapsed() - start;
    return improved;
  }

  bool polish_once(const std::vector<double>& relaxed, double bound, std::int64_t most_work) {
    const double best = scaled_.to_units(state_.incumbent.extra_energy());
    const double step = kPolishStep * (best - bound);
    const MipOptions options{.cutoff = best - step,
                             .absolute_gap = step,
                             .time_limit_seconds = state_.time_for_step(kPolishShare),
                             .memory_bytes = memory(),
                             .node_limit = kPolishNodes,
                             .seed = state_.options.settings.seed,
                             .confirm = false};
    const auto schedule =
        polish(*model_, graph(), scaled_, *state_.incumbent.schedule(), relaxed, options, most_work,
               state_.work, [&](const MipProgress&) { return !state_.stopping(); });
    return schedule && state_.offer_or_repair(*schedule);
  }

  void fix_columns(const RootResult& root) {
    for (std::size_t c = 0; c < root.fixed.size(); ++c) {
      if (root.fixed[c] < 0) continue;
      MilpColumn& column = scaled_.milp.columns[c];
      column.lower = column.upper = root.fixed[c];
    }
  }

  /// Gives CBC what is left: the whole model, or the subproblems that branching on counts leaves.
  ModelVerdict search(const RootResult& root) {
    std::vector<Count> counts;
    std::vector<Subproblem> subproblems{{.bound = root.bound}};
    if (features().counts && root.status == RootResult::Status::bounded) {
      counts = make_counts(*model_, graph(), scaled_);
      subproblems = search_counts(counts, root, std::move(subproblems));
    }
    // Only time limits CBC's work at its root, so refining leaves large models alone.
    if (state_.done() || (state_.refining && !is_small())) return ModelVerdict::open;
    return search_subproblems(state_, name_, *model_, scaled_, root.active_rows, root.active_cuts,
                              counts, subproblems);
  }

  std::vector<Subproblem> search_counts(const std::vector<Count>& counts, const RootResult& root,
                                        std::vector<Subproblem> subproblems) {
    const Seconds start = state_.clock.elapsed();
    SolveStatistics& statistics = state_.statistics;
    CountBranchingOptions options{.features = features(),
                                  .rows = root.active_rows,
                                  .cuts = root.active_cuts,
                                  .processes = state_.options.settings.threads,
                                  .most_work = state_.work_left(),
                                  .time_limit_seconds = state_.share_of_time(kCountShare),
                                  .memory_bytes = memory()};
    options.ceiling = [this] { return proof_cutoff(state_, scaled_); };
    options.improve = [this](const std::vector<double>& relaxed, double bound,
                             std::int64_t most_work) {
      const std::int64_t before = state_.work.moves();
      Improvement improvement;
      if (features().polish && polish_once(relaxed, bound, most_work)) {
        improvement.schedule = state_.incumbent.schedule();
      }
      improvement.work = state_.work.moves() - before;
      return improvement;
    };
    options.improved = [this](const Schedule& schedule) { state_.offer(schedule); };
    options.progress = [&](double bound, std::int64_t nodes) {
      raise_bound(state_, scaled_, bound, kCounts);
      state_.report_progress(kCounts, statistics.nodes + nodes);
      return !state_.stopping();
    };
    CountBranchingResult result = run_count_branching(*model_, graph(), scaled_, counts, options);
    statistics.nodes += result.nodes;
    state_.work.add_moves(result.work);
    statistics.milp_seconds += state_.clock.elapsed() - start;
    if (result.status != CountBranchingResult::Status::searched) {
      state_.work.add_failed(options.most_work);
      return subproblems;
    }
    raise_bound(state_, scaled_, result.bound, kCounts);
    return std::move(result.subproblems);
  }

  SolveState& state_;
  std::string name_;
  bool collapse_;
  bool improved_ = false;  ///< by the last polishing
  std::optional<Formulation> model_;
  ScaledMilp scaled_;
};

}  // namespace

ModelVerdict run_model_phase(SolveState& state, ModelKind kind, const UsefulWindows& windows) {
  return ModelPhase(state, kind).run(windows);
}

}  // namespace poet
