#include "solver/model_phase.hpp"

#include <algorithm>
#include <utility>

#include "solver/bounds/count_search.hpp"
#include "solver/bounds/counts.hpp"
#include "solver/bounds/root_loop.hpp"
#include "solver/formulation/formulation.hpp"
#include "solver/mend.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/part_search.hpp"
#include "solver/polish.hpp"
#include "solver/proof.hpp"

namespace poet {
namespace {

/// Shares of the time left that the root loop, polishing and the search on counts may use.
constexpr double kRootShare = 0.5;
constexpr double kPolishShare = 0.2;
constexpr double kCountShare = 0.8;
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
    RootResult root;
    if (wants_root_loop() && !tighten(root)) return ModelVerdict::open;
    if (state_.fast()) return ModelVerdict::open;
    return search(root);
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
  bool tighten(RootResult& root) {
    const bool twice = techniques().rebuild && !state_.fast();
    root = relax({}, twice ? kFirstIterations : kNoIterationLimit);
    if (!usable(root)) return root.status == RootResult::Status::failed && !state_.stopping();
    const bool improved = improve(root.values, root.bound);
    if (state_.done()) return false;
    if (twice && (improved || !root.complete)) {
      if (improved) build();
      root = relax(std::move(root.active_cuts), kNoIterationLimit);
      if (!usable(root)) return root.status == RootResult::Status::failed && !state_.stopping();
      improve(root.values, root.bound);
      if (state_.done()) return false;
    }
    fix_columns(root);
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
  bool improve(const std::vector<double>& relaxed, double bound) {
    if (!techniques().polish || relaxed.empty()) return false;
    const Seconds start = state_.clock.elapsed();
    bool improved = false;
    while (!state_.done() && polish_once(relaxed, bound)) {
      improved = true;
      state_.tell("polishing");
    }
    state_.report.milp_seconds += state_.clock.elapsed() - start;
    return improved;
  }

  bool polish_once(const std::vector<double>& relaxed, double bound) {
    const double best = scaled_.to_units(state_.incumbent.extra_energy());
    const double step = kPolishStep * (best - bound);
    const Seconds share = state_.share_of_time(kPolishShare);
    const MipOptions options{
        .cutoff = best - step,
        .absolute_gap = step,
        .time_limit_seconds = state_.fast() ? std::min(share, kFastPart) : share,
        .node_limit = kPolishNodes,
        .seed = state_.options.seed};
    const auto schedule = polish(*model_, graph(), scaled_, *state_.incumbent.schedule(), relaxed,
                                 options, [&](const MipProgress&) { return !state_.stopping(); });
    return schedule && offer_or_mend(state_, *schedule);
  }

  void fix_columns(const RootResult& root) {
    for (std::size_t c = 0; c < root.fixed.size(); ++c) {
      if (root.fixed[c] < 0) continue;
      MilpColumn& column = scaled_.milp.columns[c];
      column.lower = column.upper = root.fixed[c];
    }
  }

  /// CBC for what is left: the whole model, or the parts that a search on counts leaves.
  ModelVerdict search(const RootResult& root) {
    std::vector<Count> counts;
    std::vector<Part> parts{{.bound = root.bound}};
    if (wants_count_search(root)) {
      counts = make_counts(*model_, graph(), scaled_);
      parts = search_counts(counts, root, std::move(parts));
    }
    if (state_.done()) return ModelVerdict::open;
    return search_parts(state_, name_, *model_, scaled_, root.active_cuts, counts, parts);
  }

  bool wants_count_search(const RootResult& root) const {
    return techniques().counts && model_->scope.collapsed() &&
           root.status == RootResult::Status::bounded;
  }

  std::vector<Part> search_counts(const std::vector<Count>& counts, const RootResult& root,
                                  std::vector<Part> parts) {
    const Seconds start = state_.clock.elapsed();
    SolverReport& report = state_.report;
    CountSearchOptions options{.techniques = techniques(),
                               .rows = root.active_rows,
                               .cuts = root.active_cuts,
                               .time_limit_seconds = state_.share_of_time(kCountShare)};
    options.ceiling = [this] { return proof_cutoff(state_, scaled_); };
    options.improve = [this](const std::vector<double>& relaxed, double bound) {
      return techniques().polish && polish_once(relaxed, bound) ? state_.incumbent.schedule()
                                                                : std::nullopt;
    };
    options.improved = [this](const Schedule& schedule) { state_.offer(schedule); };
    options.progress = [&](double bound, std::int64_t nodes) {
      raise_bound(state_, scaled_, bound);
      state_.tell("counts", report.nodes + nodes);
      return !state_.stopping();
    };
    CountSearchResult result = run_count_search(*model_, graph(), scaled_, counts, options);
    report.nodes += result.nodes;
    report.milp_seconds += state_.clock.elapsed() - start;
    if (result.status != CountSearchResult::Status::searched) return parts;
    raise_bound(state_, scaled_, result.bound);
    return std::move(result.parts);
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
