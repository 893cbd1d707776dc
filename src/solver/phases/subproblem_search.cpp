#include "solver/phases/subproblem_search.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "solver/cutoff.hpp"
#include "solver/formulation/cuts.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/milp/mip_solver.hpp"

namespace poet {
namespace {

class SubproblemSearch {
 public:
  SubproblemSearch(SolveState& state, std::string phase, const Formulation& model,
                   const ScaledMilp& scaled, const std::vector<PrecedenceCut>& cuts)
      : state_(state),
        phase_(std::move(phase)),
        model_(model),
        scaled_(scaled),
        whole_(scaled.milp) {
    for (const PrecedenceCut& cut : cuts) whole_.rows.push_back(to_row(model_, cut));
    if (model_.windows.collapsed()) add_page_out_link(model_, whole_);
  }

  ModelVerdict run(const std::vector<Count>& counts, std::vector<Subproblem> subproblems) {
    subproblems_ = std::move(subproblems);
    std::sort(subproblems_.begin(), subproblems_.end(),
              [](const Subproblem& a, const Subproblem& b) { return a.bound < b.bound; });
    for (current_ = 0; current_ < subproblems_.size() && !state_.done(); ++current_) {
      if (subproblems_[current_].bound >= proof_cutoff(state_, scaled_)) continue;
      if (search_subproblem(counts) == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    }
    return ModelVerdict::open;
  }

 private:
  ModelVerdict search_subproblem(const std::vector<Count>& counts) {
    milp_ = whole_;
    for (const CountRange& range : subproblems_[current_].ranges) {
      milp_.rows.push_back(range_row(counts, range));
    }
    MipOptions options{.cutoff = proof_cutoff(state_, scaled_),
                       .absolute_gap = scaled_.to_units(state_.gap_joules()),
                       .threads = state_.options.settings.threads,
                       .seed = state_.options.settings.seed,
                       .heuristics = !state_.incumbent.schedule()};
    if (separates_cuts()) {
      options.cuts = [this](std::span<const double> values) { return precedence_rows(values); };
      // Beside cuts in the model's own columns CBC can presolve little. Without any presolve, a
      // search under a cutoff needs no second one to confirm it.
      options.presolve = options.cutoff == kInfinity;
    }
    while (true) {
      const MipResult mip = ask(options);
      if (mip.status == MipResult::Status::failed) {
        state_.trouble = mip.message;
        return ModelVerdict::open;
      }
      if (says_infeasible(options, mip)) {
        state_.searches_without_result = mip.searches;
        return ModelVerdict::infeasible;
      }
      if (mip.values)
        state_.offer_or_repair(schedule_of_point(model_, state_.problem.graph, *mip.values));
      raise(mip.bound);
      state_.report_progress(phase_, state_.statistics.nodes);
      if (state_.done() || !exclude_false_solutions(mip, options)) return ModelVerdict::open;
    }
  }

  /// A small graph's model is searched sooner with CBC's presolve, which cuts exclude.
  bool separates_cuts() const {
    const bool small = model_.size() <= state_.options.small_graph;
    return state_.options.settings.features.cuts_in_cbc && (model_.windows.collapsed() || !small);
  }

  MipResult ask(MipOptions& options) {
    const Seconds start = state_.clock.elapsed();
    SolveStatistics& statistics = state_.statistics;
    options.time_limit_seconds = state_.time_for_step(1);
    MipResult mip = solve_mip(milp_, options, [&](const MipProgress& now) {
      raise(now.bound);
      state_.report_progress(phase_, statistics.nodes + now.nodes);
      return !state_.stopping();
    });
    statistics.milp_seconds += state_.clock.elapsed() - start;
    statistics.nodes += mip.nodes;
    return mip;
  }

  /// Takes a bound on the current subproblem.
  void raise(double units) {
    subproblems_[current_].bound = std::max(subproblems_[current_].bound, units);
    double least = kInfinity;
    for (const Subproblem& subproblem : subproblems_) least = std::min(least, subproblem.bound);
    raise_bound(state_, scaled_, least);
  }

  static bool says_infeasible(const MipOptions& options, const MipResult& mip) {
    return mip.status == MipResult::Status::finished && !mip.values && options.cutoff == kInfinity;
  }

  /// Returns true if another search can achieve more. Either CBC took points for solutions that
  /// overrun a budget by less than its tolerances, and the model now has covers against them; or it
  /// left doubts that a finer search, in the model's own columns, may resolve.
  bool exclude_false_solutions(const MipResult& mip, MipOptions& options) {
    std::vector<std::vector<double>> points = mip.dropped;
    if (mip.values) points.push_back(*mip.values);
    const std::vector<MilpRow> covers = violated_covers(model_, state_.problem, points);
    const bool finer = covers.empty() && mip.doubtful && !options.fine;
    if (finer) {
      options.fine = true;
      options.presolve = options.heuristics = false;
    }
    options.cutoff = proof_cutoff(state_, scaled_);
    whole_.rows.insert(whole_.rows.end(), covers.begin(), covers.end());
    milp_.rows.insert(milp_.rows.end(), covers.begin(), covers.end());
    return finer || !covers.empty();
  }

  /// Cuts for a point of CBC's model, whose additional columns come after those of ours.
  std::vector<MilpRow> precedence_rows(std::span<const double> values) const {
    const auto own = values.first(model_.milp.columns.size());
    std::vector<MilpRow> rows;
    for (const PrecedenceCut& cut : separate_precedence(model_, state_.problem.graph, own, {})) {
      rows.push_back(to_row(model_, cut));
    }
    return rows;
  }

  SolveState& state_;
  std::string phase_;
  const Formulation& model_;
  const ScaledMilp& scaled_;
  Milp whole_;  // with the cuts
  Milp milp_;   // of the current subproblem
  std::vector<Subproblem> subproblems_;
  std::size_t current_ = 0;
};

}  // namespace

ModelVerdict search_subproblems(SolveState& state, const std::string& phase,
                                const Formulation& model, const ScaledMilp& scaled,
                                const std::vector<PrecedenceCut>& cuts,
                                const std::vector<Count>& counts,
                                std::vector<Subproblem> subproblems) {
  return SubproblemSearch(state, phase, model, scaled, cuts).run(counts, std::move(subproblems));
}

}  // namespace poet
