#include "solver/part_search.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/constraints.hpp"
#include "solver/formulation/covers.hpp"
#include "solver/formulation/extract.hpp"
#include "solver/mend.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/proof.hpp"

namespace poet {
namespace {

class PartSearch {
 public:
  PartSearch(SolveState& state, std::string phase, const Formulation& model,
             const ScaledMilp& scaled, const std::vector<PrecedenceCut>& cuts)
      : state_(state),
        phase_(std::move(phase)),
        model_(model),
        scaled_(scaled),
        whole_(scaled.milp) {
    for (const PrecedenceCut& cut : cuts) whole_.rows.push_back(to_row(model_, cut));
    if (model_.scope.collapsed()) add_page_out_link(model_, whole_);
  }

  ModelVerdict run(const std::vector<Count>& counts, std::vector<Part> parts) {
    parts_ = std::move(parts);
    std::sort(parts_.begin(), parts_.end(),
              [](const Part& a, const Part& b) { return a.bound < b.bound; });
    for (part_ = 0; part_ < parts_.size() && !state_.done(); ++part_) {
      if (parts_[part_].bound >= proof_cutoff(state_, scaled_)) continue;
      if (search_part(counts) == ModelVerdict::infeasible) return ModelVerdict::infeasible;
    }
    return ModelVerdict::open;
  }

 private:
  static MilpRow range_row(const std::vector<Count>& counts, const CountRange& range) {
    MilpRow row{
        .name = fmt::format("count_{}", range.count), .lower = range.lower, .upper = range.upper};
    for (const int column : counts[range.count].columns) row.terms.push_back({column, 1});
    return row;
  }

  ModelVerdict search_part(const std::vector<Count>& counts) {
    milp_ = whole_;
    for (const CountRange& range : parts_[part_].ranges) {
      milp_.rows.push_back(range_row(counts, range));
    }
    MipOptions options{.cutoff = proof_cutoff(state_, scaled_),
                       .absolute_gap = scaled_.to_units(state_.gap_joules()),
                       .threads = state_.options.threads,
                       .seed = state_.options.seed,
                       .heuristics = !state_.incumbent.schedule()};
    if (state_.options.techniques.cuts_in_cbc && model_.scope.collapsed()) {
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
        if (mip.values) offer_or_mend(state_, extract(model_, state_.problem.graph, *mip.values));
        raise(mip.bound);
        state_.tell(phase_, state_.report.nodes);
        if (state_.done() || !exclude_false_solutions(mip, options)) return ModelVerdict::open;
      }
    }
  }

  MipResult ask(MipOptions& options) {
    const Seconds start = state_.clock.elapsed();
    SolverReport& report = state_.report;
    options.time_limit_seconds = state_.clock.remaining();
    MipResult mip = solve_mip(milp_, options, [&](const MipProgress& now) {
      raise(now.bound);
      state_.tell(phase_, report.nodes + now.nodes);
      return !state_.stopping();
    });
    report.milp_seconds += state_.clock.elapsed() - start;
    report.nodes += mip.nodes;
    return mip;
  }

  /// A bound of the current part.
  void raise(double units) {
    parts_[part_].bound = std::max(parts_[part_].bound, units);
    double least = kInfinity;
    for (const Part& part : parts_) least = std::min(least, part.bound);
    raise_bound(state_, scaled_, least);
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

  /// For a point of CBC's model, which has more columns, behind those of ours.
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
  Milp milp_;   // of the current part
  std::vector<Part> parts_;
  std::size_t part_ = 0;
};

}  // namespace

ModelVerdict search_parts(SolveState& state, const std::string& phase, const Formulation& model,
                          const ScaledMilp& scaled, const std::vector<PrecedenceCut>& cuts,
                          const std::vector<Count>& counts, std::vector<Part> parts) {
  return PartSearch(state, phase, model, scaled, cuts).run(counts, std::move(parts));
}

}  // namespace poet
