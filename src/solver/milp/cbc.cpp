#include "solver/milp/mip_solver.hpp"

// Only this file and clp.cpp include COIN-OR headers, which define macros and are slow to compile.
#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CglCutGenerator.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

constexpr int kCutsAtEveryNode = 1;
constexpr double kCbcInfinity = 1e30;  // CBC writes 1e50 or DBL_MAX
constexpr double kFineTolerance = 1e-9;
constexpr Seconds kTimeUnit = 1e-3;  // of the limit as CBC gets it

using ReportFunction = std::function<void(const MipProgress&)>;

/// The points that CBC takes for solutions, and what they leave of its bound.
///
/// If all columns at a node are within 1e-6 of whole numbers, CBC is done with the node: it offers
/// the point as a solution and forgets everything else below the node. The rounded point may
/// overrun a row, in which case CBC drops it or lets it pass, or it may cost more than before. But
/// all that was forgotten costs at least as much as the point did before it was rounded, and all
/// that a solution cut off costs at least as much as that solution. So CBC's bound, lowered to the
/// least such cost, holds even if points are wrong: a wrong one does no harm once a better right
/// one has replaced it. Points from heuristics end no node; they count only if CBC accepts them.
class Candidates {
 public:
  /// CBC ignores everything at or above the cutoff, so no bound above it is proven.
  Candidates(std::size_t columns, double cutoff) : columns_(columns), least_(cutoff) {}

  /// Call it at the event that CBC has checked a point.
  void note(const CbcModel& model) {
    iterations_ = std::max<std::int64_t>(iterations_, model.getIterationCount());
    const double cost = model.getMinimizationObjValue();
    const bool accepted = cost <= std::min(model.getCutoff(), kCbcInfinity);
    if (accepted) least_ = std::min(least_, cost);
    if (!ends_a_node(model)) return;
    least_ = std::min(least_, model.solver()->getObjValue());
    if (accepted) return;
    any_dropped_ = true;
    const bool own_columns = static_cast<std::size_t>(model.getNumCols()) == columns_;
    if (!own_columns || dropped_.size() == kMaxPoints) return;
    const double* values = model.solver()->getColSolution();
    if (values != nullptr) dropped_.emplace_back(values, values + columns_);
  }

  /// The part of CBC's bound that is proven.
  double cap(double bound) const { return std::min(bound, least_); }
  std::int64_t iterations() const { return iterations_; }
  bool any_dropped() const { return any_dropped_; }
  const std::vector<std::vector<double>>& dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kMaxPoints = 50;
  static constexpr double kSamePoint = 1e-5;

  /// Whether the point is the optimum of the node's linear program, not a heuristic's.
  static bool ends_a_node(const CbcModel& model) {
    const double* point = model.bestSolution();
    const double* relaxed = model.solver()->getColSolution();
    // If CBC does not expose the point, assume that it ended the node.
    if (point == nullptr || relaxed == nullptr) return true;
    for (int c = 0; c < model.getNumCols(); ++c) {
      const bool differ = std::abs(point[c] - relaxed[c]) > kSamePoint;
      if (differ && model.isInteger(c)) return false;
    }
    return true;
  }

  std::size_t columns_;
  double least_;
  std::int64_t iterations_ = 0;
  bool any_dropped_ = false;
  std::vector<std::vector<double>> dropped_;
};

/// Reports nodes and bound of the main search. CBC clones handlers, so it owns nothing.
class SearchHandler : public CbcEventHandler {
 public:
  SearchHandler(const ReportFunction* progress, Candidates* candidates)
      : progress_(progress), candidates_(candidates) {}

  CbcEventHandler* clone() const override { return new SearchHandler(*this); }

  CbcAction event(CbcEvent what) override {
    if (model_ == nullptr || model_->parentModel() != nullptr) return noAction;
    if (what == beforeSolution2) candidates_->note(*model_);
    if (what == node || what == treeStatus || what == solution) {
      (*progress_)({.nodes = model_->getNodeCount(),
                    .bound = candidates_->cap(model_->getBestPossibleObjValue())});
    }
    return noAction;
  }

 private:
  const ReportFunction* progress_;
  Candidates* candidates_;
};

/// Hands the points of the relaxation to a cut function. CBC clones generators, so it owns nothing.
class CallbackCuts : public CglCutGenerator {
 public:
  CallbackCuts(const CutFunction* function, std::size_t columns)
      : function_(function), columns_(columns) {}

  CglCutGenerator* clone() const override { return new CallbackCuts(*this); }

  void generateCuts(const OsiSolverInterface& solver, OsiCuts& cuts,
                    const CglTreeInfo /*info*/) override {
    // A model that CBC has presolved by itself has other columns.
    if (static_cast<std::size_t>(solver.getNumCols()) != columns_) return;
    for (const MilpRow& row : (*function_)({solver.getColSolution(), columns_})) {
      std::vector<int> columns;
      std::vector<double> coefficients;
      for (const MilpTerm& term : row.terms) {
        columns.push_back(term.column);
        coefficients.push_back(term.coefficient);
      }
      OsiRowCut cut;
      cut.setRow(static_cast<int>(columns.size()), columns.data(), coefficients.data());
      cut.setLb(std::max(row.lower, -COIN_DBL_MAX));
      cut.setUb(std::min(row.upper, COIN_DBL_MAX));
      cuts.insert(cut);
    }
  }

 private:
  const CutFunction* function_;
  std::size_t columns_;
};

void load(const Milp& milp, OsiClpSolverInterface& solver) {
  const int rows = static_cast<int>(milp.rows.size());
  const int columns = static_cast<int>(milp.columns.size());
  std::vector<int> row_index;
  std::vector<int> column_index;
  std::vector<double> values;
  std::vector<double> row_lower;
  std::vector<double> row_upper;
  for (int r = 0; r < rows; ++r) {
    for (const MilpTerm& term : milp.rows[r].terms) {
      row_index.push_back(r);
      column_index.push_back(term.column);
      values.push_back(term.coefficient);
    }
    row_lower.push_back(std::max(milp.rows[r].lower, -COIN_DBL_MAX));
    row_upper.push_back(std::min(milp.rows[r].upper, COIN_DBL_MAX));
  }
  CoinPackedMatrix matrix(true, row_index.data(), column_index.data(), values.data(),
                          static_cast<CoinBigIndex>(values.size()));
  matrix.setDimensions(rows, columns);
  const ColumnArrays arrays(milp);
  solver.loadProblem(matrix, arrays.lower.data(), arrays.upper.data(), arrays.costs.data(),
                     row_lower.data(), row_upper.data());
  for (int c = 0; c < columns; ++c) {
    if (milp.columns[c].integer) solver.setInteger(c);
  }
}

/// The share for dual_tolerance(). On large models a finer tolerance costs too much time.
double share_of_a_price(const Milp& milp) {
  constexpr std::size_t kMaxFineColumns = 3000;
  return milp.columns.size() <= kMaxFineColumns ? 5e-6 : 5e-4;
}

/// The words of the `cbc` program that run one search. Only our own numbers go in: CBC prints and
/// ignores unknown words.
std::vector<std::string> command(const Milp& milp, const MipOptions& options) {
  std::vector<std::string> words{"poet", "-log", "1", "-timeMode", "elapsed"};
  const auto add = [&](const char* key, const std::string& value) {
    words.emplace_back(key);
    words.push_back(value);
  };
  if (options.cutoff < kInfinity) add("-cutoff", fmt::format("{:.17g}", options.cutoff));
  if (options.time_limit_seconds < kInfinity) {
    add("-seconds", fmt::format("{:.3f}", options.time_limit_seconds));
  }
  if (options.node_limit > 0) add("-maxNodes", std::to_string(options.node_limit));
  add("-allowableGap", fmt::format("{:.17g}", options.absolute_gap));
  add("-ratioGap", "0");
  add("-increment", fmt::format("{:g}", kCutoffIncrement));
  add("-randomSeed", std::to_string(options.seed));
  add("-randomCbcSeed", std::to_string(options.seed));
  add("-dualTolerance", fmt::format("{:g}", dual_tolerance(milp, share_of_a_price(milp))));
  if (options.fine) add("-integerTolerance", fmt::format("{:g}", kFineTolerance));
  // The default, `sos`, has reports of wrong answers. Cuts are in the model's own columns, which
  // presolve would change.
  const bool presolve = options.presolve && !options.cuts;
  add("-preprocess", presolve ? "on" : "off");
  if (!options.presolve) add("-presolve", "off");
  if (!options.heuristics) add("-heuristics", "off");
  words.emplace_back("-solve");
  words.emplace_back("-quit");
  return words;
}

/// CbcMain1 asks for a callback between its steps; there is nothing to do.
int no_callback(CbcModel* /*model*/, int /*where*/) {
  return 0;
}

MipResult result_of(const CbcModel& model, const Milp& milp, const MipOptions& options,
                    const Candidates& candidates) {
  MipResult result{
      .doubtful = candidates.any_dropped(),
      .dropped = candidates.dropped(),
      .nodes = model.getNodeCount(),
      .iterations = std::max<std::int64_t>(candidates.iterations(), model.getIterationCount())};
  const double* best = model.bestSolution();
  if (best != nullptr) result.values.emplace(best, best + milp.columns.size());
  // Status 0 with secondary status 1 is "infeasible" (under a cutoff: nothing better), 2 is
  // "stopped on the gap", which CBC also calls proven optimal.
  const bool complete = model.status() == 0 && model.secondaryStatus() <= 2;
  const double possible = model.getBestPossibleObjValue();
  // Before the search begins the figure is CBC's infinity and means nothing.
  const bool meaningful = std::abs(possible) < kCbcInfinity;
  if (!complete && !meaningful) {
    result.message = fmt::format("CBC ended without a search (status {})", model.status());
    return result;
  }
  result.status = complete ? MipResult::Status::finished : MipResult::Status::stopped;
  if (complete && best == nullptr) {
    result.bound = options.cutoff;
  } else {
    result.bound = std::min(possible, options.cutoff);
    if (best != nullptr) result.bound = std::min(result.bound, model.getObjValue());
  }
  const double capped = candidates.cap(result.bound);
  result.doubtful |= capped < result.bound - kCutoffIncrement;
  result.bound = capped;
  // A dropped candidate may have pruned its node, so "no solution" is not proven.
  if (best == nullptr && candidates.any_dropped()) result.status = MipResult::Status::stopped;
  return result;
}

}  // namespace

MipResult run_cbc(const Milp& milp, const MipOptions& options, const ReportFunction& progress) {
  const Stopwatch watch;
  OsiClpSolverInterface solver;
  load(milp, solver);
  CbcModel model(solver);
  CbcSolverUsefulData parameters;
  CbcMain0(model, parameters);
  Candidates candidates(milp.columns.size(), options.cutoff);
  SearchHandler handler(&progress, &candidates);
  model.passInEventHandler(&handler);
  model.setUseElapsedTime(true);
  if (options.iterations < std::numeric_limits<int>::max()) {
    model.setMaximumNumberIterations(static_cast<int>(options.iterations));
  }
  CallbackCuts cuts(&options.cuts, milp.columns.size());
  if (options.cuts) model.addCutGenerator(&cuts, kCutsAtEveryNode, "OurRows");

  const std::vector<std::string> words = command(milp, options);
  std::vector<const char*> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(word.c_str());
  CbcMain1(static_cast<int>(arguments.size()), arguments.data(), model, no_callback, parameters);
  MipResult result = result_of(model, milp, options, candidates);
  if (watch.elapsed() + kTimeUnit >= options.time_limit_seconds &&
      result.status == MipResult::Status::finished) {
    // If time runs out in its first steps, CBC calls the model infeasible, which would prove
    // anything. The bounds that it reported on the way stand.
    result.status = MipResult::Status::stopped;
    result.bound = -kInfinity;
  }
  return result;
}

}  // namespace poet
