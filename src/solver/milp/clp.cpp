#include "solver/milp/linear_program.hpp"

#include <ClpDualRowSteepest.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "solver/milp/dual_bound.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

// Clp's codes for two settings and two outcomes.
constexpr int kPerturbWhenUseful = 50;
constexpr int kFullSteepestEdge = 1;
constexpr int kOptimal = 0;
constexpr int kInfeasible = 1;
/// The share for dual_tolerance(). Bounds do not depend on it (dual_bound.hpp).
constexpr double kShareOfAPrice = 5e-4;

}  // namespace

struct LinearProgram::Impl {
  ClpSimplex simplex;
  bool solved_before = false;
  DualBound proof;
  std::vector<double> ray;  // that proved the last solve infeasible

  LinearProgramView view() const;
  std::span<const double> prices() const {
    return {simplex.dualRowSolution(), static_cast<std::size_t>(simplex.numberRows())};
  }
  /// Whether the prices that Clp leaves behind prove that there is nothing below the ceiling. If
  /// Clp stopped at the ceiling, the prices of the rows prove it. If no point satisfies the rows,
  /// the prices of its ray do, about whose sign its versions disagree.
  bool is_closed(double ceiling);
};

LinearProgramView LinearProgram::Impl::view() const {
  static_assert(std::is_same_v<CoinBigIndex, int>);
  const CoinPackedMatrix& matrix = *simplex.matrix();
  const auto columns = static_cast<std::size_t>(simplex.numberColumns());
  const auto rows = static_cast<std::size_t>(simplex.numberRows());
  const std::size_t size = columns == 0 ? 0 : matrix.getVectorLast(simplex.numberColumns() - 1);
  return {.costs = {simplex.getObjCoefficients(), columns},
          .column_lower = {simplex.columnLower(), columns},
          .column_upper = {simplex.columnUpper(), columns},
          .row_lower = {simplex.rowLower(), rows},
          .row_upper = {simplex.rowUpper(), rows},
          .starts = {matrix.getVectorStarts(), columns},
          .lengths = {matrix.getVectorLengths(), columns},
          .rows = {matrix.getIndices(), size},
          .elements = {matrix.getElements(), size}};
}

bool LinearProgram::Impl::is_closed(double ceiling) {
  if (dual_bound(view(), prices()).value >= ceiling) return true;
  const std::unique_ptr<double[]> along(simplex.infeasibilityRay());
  if (!along) return false;
  ray.assign(along.get(), along.get() + simplex.numberRows());
  if (proves_infeasible(view(), ray)) return true;
  for (double& price : ray) price = -price;
  if (proves_infeasible(view(), ray)) return true;
  ray.clear();
  return false;
}

LinearProgram::LinearProgram(const Milp& milp) : impl_(std::make_unique<Impl>()) {
  ClpSimplex& simplex = impl_->simplex;
  simplex.setLogLevel(0);
  // The model is highly degenerate: with perturbed costs a solve takes a quarter of the time.
  simplex.setPerturbation(kPerturbWhenUseful);
  simplex.setDualTolerance(dual_tolerance(milp, kShareOfAPrice));
  ClpDualRowSteepest pricing(kFullSteepestEdge);
  simplex.setDualRowPivotAlgorithm(pricing);
  const ColumnArrays arrays(milp);
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(milp.columns.size()));
  simplex.loadProblem(matrix, arrays.lower.data(), arrays.upper.data(), arrays.costs.data(),
                      nullptr, nullptr);
  add_rows(milp.rows);
}

LinearProgram::~LinearProgram() = default;

LinearProgram::Status LinearProgram::solve(double ceiling, Seconds seconds,
                                           std::int64_t iterations) {
  constexpr std::int64_t kMostIterations = std::numeric_limits<int>::max();
  ClpSimplex& simplex = impl_->simplex;
  simplex.setMaximumIterations(static_cast<int>(std::min(iterations, kMostIterations)));
  simplex.setMaximumWallSeconds(std::min(seconds, 1e9));
  simplex.setDualObjectiveLimit(std::min(ceiling, COIN_DBL_MAX));
  impl_->ray.clear();
  const bool warm = impl_->solved_before;
  impl_->solved_before = true;
  if (warm) {
    simplex.dual(0, 0);
  } else {
    // The first solve has no basis to start from, so presolve is worth its time.
    ClpSolve settings;
    settings.setSolveType(ClpSolve::useDual);
    settings.setPresolveType(ClpSolve::presolveOn);
    simplex.initialSolve(settings);
    if (simplex.status() == kInfeasible) {
      if (impl_->is_closed(ceiling)) return Status::infeasible;
      simplex.dual(0, 0);  // presolve leaves no prices behind if it finds no solution
    }
  }
  switch (simplex.status()) {
    case kOptimal:
      impl_->proof = dual_bound(impl_->view(), impl_->prices());
      return Status::optimal;
    case kInfeasible:
      return impl_->is_closed(ceiling) ? Status::infeasible : Status::stopped;
    default:
      return Status::stopped;
  }
}

double LinearProgram::bound() const {
  return impl_->proof.value;
}

std::span<const double> LinearProgram::values() const {
  return {impl_->simplex.primalColumnSolution(),
          static_cast<std::size_t>(impl_->simplex.numberColumns())};
}

std::span<const double> LinearProgram::reduced_costs() const {
  return impl_->proof.reduced_costs;
}

std::span<const double> LinearProgram::prices() const {
  return impl_->prices();
}

const std::vector<double>& LinearProgram::ray() const {
  return impl_->ray;
}

std::vector<double> LinearProgram::prices_of_conflict(Seconds seconds) const {
  constexpr double kLeastGive = 1e-8;
  ClpSimplex elastic(impl_->simplex);
  const int rows = elastic.numberRows();
  for (int c = 0; c < elastic.numberColumns(); ++c) elastic.setObjectiveCoefficient(c, 0);
  std::vector<int> every(rows);
  std::iota(every.begin(), every.end(), 0);
  std::vector<double> give(rows);  // towards what the row asks for
  for (int r = 0; r < rows; ++r) give[r] = elastic.rowLower()[r] > -COIN_DBL_MAX ? 1 : -1;
  elastic.addColumn(rows, every.data(), give.data(), 0, COIN_DBL_MAX, 1);
  elastic.setDualObjectiveLimit(COIN_DBL_MAX);
  elastic.setMaximumWallSeconds(seconds);
  elastic.primal(0);
  if (elastic.status() != kOptimal || elastic.objectiveValue() < kLeastGive) return {};
  return {elastic.dualRowSolution(), elastic.dualRowSolution() + rows};
}

int LinearProgram::rows() const {
  return impl_->simplex.numberRows();
}

int LinearProgram::iterations() const {
  return impl_->simplex.numberIterations();
}

// A side that a row does not have is where the bounds of its columns end. With a side at infinity
// Clp starts the dual method of a basis that is not quite dual feasible, as a solve with perturbed
// costs leaves it, at 1e10, gives up and takes many times as long with the primal method.
void LinearProgram::add_rows(std::span<const MilpRow> rows) {
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> columns;
  std::vector<double> coefficients;
  std::vector<double> lower;
  std::vector<double> upper;
  const double* const least = impl_->simplex.columnLower();
  const double* const most = impl_->simplex.columnUpper();
  for (const MilpRow& row : rows) {
    double below = std::min(row.upper, 0.0) - 1;
    double above = std::max(row.lower, 0.0) + 1;
    for (const MilpTerm& term : row.terms) {
      columns.push_back(term.column);
      coefficients.push_back(term.coefficient);
      const bool rises = term.coefficient > 0;
      below += term.coefficient * (rises ? least : most)[term.column];
      above += term.coefficient * (rises ? most : least)[term.column];
    }
    starts.push_back(static_cast<CoinBigIndex>(columns.size()));
    lower.push_back(std::max({row.lower, below, -COIN_DBL_MAX}));
    upper.push_back(std::min({row.upper, above, COIN_DBL_MAX}));
  }
  impl_->simplex.addRows(static_cast<int>(rows.size()), lower.data(), upper.data(), starts.data(),
                         columns.data(), coefficients.data());
}

void LinearProgram::set_row_bounds(int row, double lower, double upper) {
  impl_->simplex.setRowBounds(row, std::max(lower, -COIN_DBL_MAX), std::min(upper, COIN_DBL_MAX));
}

std::vector<int> LinearProgram::slack_rows() const {
  std::vector<int> slack;
  for (int r = 0; r < rows(); ++r) {
    if (impl_->simplex.getRowStatus(r) == ClpSimplex::basic) slack.push_back(r);
  }
  return slack;
}

void LinearProgram::remove_rows(std::span<const int> rows) {
  impl_->simplex.deleteRows(static_cast<int>(rows.size()), rows.data());
}

std::vector<unsigned char> LinearProgram::basis() const {
  const ClpSimplex& simplex = impl_->simplex;
  const unsigned char* states = simplex.statusArray();
  return {states, states + simplex.numberColumns() + simplex.numberRows()};
}

void LinearProgram::set_basis(std::span<const unsigned char> basis) {
  impl_->simplex.copyinStatus(basis.data());
}

}  // namespace poet
