#include "solver/model_phase.hpp"

#include <algorithm>
#include <utility>

#include "solver/constraints.hpp"
#include "solver/covers.hpp"
#include "solver/extract.hpp"
#include "solver/formulation.hpp"
#include "solver/greedy.hpp"
#include "solver/mip_solver.hpp"
#include "solver/polish.hpp"
#include "solver/proof.hpp"
#include "solver/root_loop.hpp"
#include "solver/scaling.hpp"

namespace poet {
namespace {

/// Shares of the time left that the root loop and the polishing may use.
constexpr double kRootShare = 0.5;
constexpr double kPolishShare = 0.2;
/// What Effort::fast gives to each.
constexpr Seconds kFastPart = 2;
/// Simplex iterations of a first root loop, whose point is to show the polishing where to look;
/// in iterations and not in seconds, so that a solve repeats itself.
constexpr std::int64_t kFirstIterations = 10'000;
constexpr int kPolishNodes = 200;
constexpr double kPolishStep = 1e-3;  // of the distance to the bound: less is no improvement

class ModelPhase {
 public:
  ModelPhase(SolveState& state, ModelKind kind)
      : state_(state),
        name_(kind == ModelKind::collapsed ? "relaxation" : "full model"),
        collapse_(kind == ModelKind::collapsed) {}

  ModelVerdict run() {
    build();
    if (state_.stopping()) return ModelVerdict::open;
    if (wants_root_loop() && !tighten()) return ModelVerdict::open;
    if (state_.fast()) return ModelVerdict::open;
    return search();
  }

 private:
  const Techniques& techniques() const { return state_.options.techniques; }
  const Graph& graph() const { return state_.problem.graph; }

  bool wants_root_loop() const {
    // For a small graph CBC's own root is as good as ours.
    return techniques().root_loop && graph().size() > state_.options.small_graph &&
           state_.incumbent.schedule();
  }

  /// The model for what is better than the incumbent.
  void build() {
    const Seconds start = state_.clock.elapsed();
    const Scope scope = make_scope(state_.problem, collapse_, affordable_extra(state_));
    model_.emplace(formulate(state_.problem, scope, techniques()));
    scaled_ = scale(model_->milp, state_.base.energy_joules);
    SolverReport& report = state_.report;
    report.build_seconds += state_.clock.elapsed() - start;
    note_model(report, model_->scope.collapsed() ? "poet-collapsed" : "poet-full", scaled_.milp);
  }

  /// Raises the bound and improves the incumbent; leaves fixings and tight cuts in the model.
  /// False when nothing is left to search.
  bool tighten() {
    const bool twice = techniques().rebuild && !state_.fast();
    RootResult root = relax({}, twice ? kFirstIterations : kNoIterationLimit);
    if (!usable(root)) return root.status == RootResult::Status::failed && !state_.stopping();
    const bool improved = improve(root);
    if (state_.done()) return false;
    if (twice && (improved || !root.complete)) {
      if (improved) build();
      root = relax(std::move(root.active_cuts), kNoIterationLimit);
      if (!usable(root)) return root.status == RootResult::Status::failed && !state_.stopping();
      improve(root);
      if (state_.done()) return false;
    }
    apply(root);
    return true;
  }

  RootResult relax(std::vector<PrecedenceCut> cuts, std::int64_t iterations) {
    const Seconds start = state_.clock.elapsed();
    const Seconds share = state_.share_of_time(kRootShare);
    const RootOptions options{
        .ceiling = proof_cutoff(state_, scaled_),
        .techniques = techniques(),
        .cuts = std::move(cuts),
        .iterations = iterations,
        .time_limit_seconds = state_.fast() ? std::min(share, kFastPart) : share};
    RootResult root = run_root_loop(*model_, graph(), scaled_, options, [&](double bound) {
      raise_bound(state_, scaled_, bound);
      state_.tell(name_);
      return !state_.stopping();
    });
    state_.report.milp_seconds += state_.clock.elapsed() - start;
    raise_bound(state_, scaled_, root.bound);
    return root;
  }

  /// Whether the root loop left something to go on with.
  bool usable(const RootResult& root) {
    return root.status == RootResult::Status::bounded && !state_.done();
  }

  /// Whether polishing found a better schedule. Repeated while it does: the neighbourhood moves.
  bool improve(const RootResult& root) {
    if (!techniques().polish || root.values.empty()) return false;
    const Seconds start = state_.clock.elapsed();
    bool improved = false;
    while (!state_.done() && polish_once(root)) improved = true;
    state_.report.milp_seconds += state_.clock.elapsed() - start;
    return improved;
  }

  bool polish_once(const RootResult& root) {
    const double best = scaled_.to_units(state_.incumbent.extra_energy());
    const double step = kPolishStep * (best - root.bound);
    const Seconds share = state_.share_of_time(kPolishShare);
    const MipOptions options{
        .cutoff = best - step,
        .absolute_gap = step,
        .time_limit_seconds = state_.fast() ? std::min(share, kFastPart) : share,
        .node_limit = kPolishNodes,
        .seed = state_.options.seed};
    const auto schedule =
        polish(*model_, graph(), scaled_, *state_.incumbent.schedule(), root.values, options,
               [&](const MipProgress&) { return !state_.stopping(); });
    const bool better = schedule && take(*schedule);
    if (better) state_.tell("polishing");
    return better;
  }

  void apply(const RootResult& root) {
    for (std::size_t c = 0; c < root.fixed.size(); ++c) {
      if (root.fixed[c] < 0) continue;
      MilpColumn& column = scaled_.milp.columns[c];
      column.lower = column.upper = root.fixed[c];
    }
    for (const PrecedenceCut& cut : root.active_cuts) {
      scaled_.milp.rows.push_back(to_row(*model_, cut));
    }
  }

  ModelVerdict search() {
    if (model_->scope.collapsed()) add_page_out_link(*model_, scaled_.milp);
    MipOptions options{.cutoff = proof_cutoff(state_, scaled_),
                       .absolute_gap = scaled_.to_units(state_.gap_joules()),
                       .threads = state_.options.threads,
                       .seed = state_.options.seed,
                       .heuristics = !state_.incumbent.schedule()};
    if (techniques().cuts_in_cbc && model_->scope.collapsed()) {
      options.cuts = [this](std::span<const double> values) { return precedence_rows(values); };
    }
    while (true) {
      const MipResult mip = ask(options);
      if (mip.status == MipResult::Status::failed) {
        state_.trouble = mip.message;
        return ModelVerdict::open;
      }
      if (says_infeasible(options, mip)) {
        // CBC has called feasible models infeasible: believed only without presolve.
        if (!options.presolve) return ModelVerdict::infeasible;
        options.presolve = false;
      } else {
        if (mip.values) take(extract(*model_, graph(), *mip.values));
        raise_bound(state_, scaled_, mip.bound);
        state_.tell(name_, state_.report.nodes);
        if (state_.done() || !exclude_false_solutions(mip, options)) return ModelVerdict::open;
      }
    }
  }

  MipResult ask(MipOptions& options) {
    const Seconds start = state_.clock.elapsed();
    SolverReport& report = state_.report;
    options.time_limit_seconds = state_.clock.remaining();
    MipResult mip = solve_mip(scaled_.milp, options, [&](const MipProgress& now) {
      raise_bound(state_, scaled_, now.bound);
      state_.tell(name_, report.nodes + now.nodes);
      return !state_.stopping();
    });
    report.milp_seconds += state_.clock.elapsed() - start;
    report.nodes += mip.nodes;
    return mip;
  }

  static bool says_infeasible(const MipOptions& options, const MipResult& mip) {
    return mip.status == MipResult::Status::finished && !mip.values && options.cutoff == kInfinity;
  }

  /// Whether there is reason to search again: CBC has taken points for solutions that overrun a
  /// budget by less than its tolerances, and covers against them are in the model now; or it has
  /// left doubts that a finer search, in the model's own columns, may resolve.
  bool exclude_false_solutions(const MipResult& mip, MipOptions& options) {
    std::vector<std::vector<double>> points = mip.dropped;
    if (mip.values) points.push_back(*mip.values);
    const std::vector<MilpRow> covers = violated_covers(*model_, state_.problem, points);
    const bool finer = covers.empty() && mip.doubtful && !options.fine;
    if (finer) {
      options.fine = true;
      options.presolve = options.heuristics = false;
    }
    options.cutoff = proof_cutoff(state_, scaled_);
    scaled_.milp.rows.insert(scaled_.milp.rows.end(), covers.begin(), covers.end());
    return finer || !covers.empty();
  }

  /// For a point of CBC's model, which has more columns, behind those of ours.
  std::vector<MilpRow> precedence_rows(std::span<const double> values) const {
    const auto own = values.first(model_->milp.columns.size());
    std::vector<MilpRow> rows;
    for (const PrecedenceCut& cut : separate_precedence(*model_, graph(), own, {})) {
      rows.push_back(to_row(*model_, cut));
    }
    return rows;
  }

  /// A relaxation's schedule can overrun RAM in the forward pass: mended where that is cheap.
  bool take(const Schedule& schedule) {
    if (state_.offer(schedule)) return true;
    Plan plan(state_.problem, schedule);
    descend(plan);
    return plan.feasible() && state_.offer(plan.to_schedule());
  }

  SolveState& state_;
  std::string name_;
  bool collapse_;
  std::optional<Formulation> model_;
  ScaledMilp scaled_;
};

}  // namespace

ModelVerdict run_model_phase(SolveState& state, ModelKind kind) {
  return ModelPhase(state, kind).run();
}

}  // namespace poet
