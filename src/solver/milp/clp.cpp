#include "solver/milp/linear_program.hpp"

#include <ClpDualRowSteepest.hpp>
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

#include <algorithm>

#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

// Clp's codes for the two settings.
constexpr int kPerturbWhenUseful = 50;
constexpr int kFullSteepestEdge = 1;

}  // namespace

struct LinearProgram::Impl {
  ClpSimplex simplex;
  bool solved_before = false;
};

LinearProgram::LinearProgram(const Milp& milp) : impl_(std::make_unique<Impl>()) {
  ClpSimplex& simplex = impl_->simplex;
  simplex.setLogLevel(0);
  // The model is highly degenerate: perturbed costs take a quarter of the time.
  simplex.setPerturbation(kPerturbWhenUseful);
  simplex.setDualTolerance(dual_tolerance(milp));
  ClpDualRowSteepest pricing(kFullSteepestEdge);
  simplex.setDualRowPivotAlgorithm(pricing);
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> cost;
  for (const MilpColumn& column : milp.columns) {
    lower.push_back(column.lower);
    upper.push_back(std::min(column.upper, COIN_DBL_MAX));
    cost.push_back(column.cost);
  }
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, static_cast<int>(milp.columns.size()));
  simplex.loadProblem(matrix, lower.data(), upper.data(), cost.data(), nullptr, nullptr);
  add_rows(milp.rows);
}

LinearProgram::~LinearProgram() = default;

LinearProgram::Status LinearProgram::solve(double ceiling, Seconds seconds) {
  ClpSimplex& simplex = impl_->simplex;
  simplex.setMaximumWallSeconds(std::min(seconds, 1e9));
  simplex.setDualObjectiveLimit(std::min(ceiling, COIN_DBL_MAX));
  if (impl_->solved_before) {
    simplex.dual(0, 0);
  } else {
    // The first solve has no basis to start from; presolve is worth its time here.
    ClpSolve settings;
    settings.setSolveType(ClpSolve::useDual);
    settings.setPresolveType(ClpSolve::presolveOn);
    simplex.initialSolve(settings);
  }
  impl_->solved_before = true;
  switch (simplex.status()) {
    case 0:
      return Status::optimal;
    case 1:
      return Status::infeasible;
    default:
      return Status::stopped;
  }
}

double LinearProgram::objective() const {
  return impl_->simplex.objectiveValue();
}

std::span<const double> LinearProgram::values() const {
  return {impl_->simplex.primalColumnSolution(),
          static_cast<std::size_t>(impl_->simplex.numberColumns())};
}

std::span<const double> LinearProgram::reduced_costs() const {
  return {impl_->simplex.dualColumnSolution(),
          static_cast<std::size_t>(impl_->simplex.numberColumns())};
}

int LinearProgram::rows() const {
  return impl_->simplex.numberRows();
}

int LinearProgram::iterations() const {
  return impl_->simplex.numberIterations();
}

void LinearProgram::add_rows(std::span<const MilpRow> rows) {
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> columns;
  std::vector<double> coefficients;
  std::vector<double> lower;
  std::vector<double> upper;
  for (const MilpRow& row : rows) {
    for (const MilpTerm& term : row.terms) {
      columns.push_back(term.column);
      coefficients.push_back(term.coefficient);
    }
    starts.push_back(static_cast<CoinBigIndex>(columns.size()));
    lower.push_back(std::max(row.lower, -COIN_DBL_MAX));
    upper.push_back(std::min(row.upper, COIN_DBL_MAX));
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
