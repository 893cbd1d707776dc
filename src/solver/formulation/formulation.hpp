#pragma once

#include <array>
#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "poet/techniques.hpp"
#include "solver/formulation/scope.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A 0/1 quantity of the model: a constant plus up to three columns, of which at most one is 1.
struct Quantity {
  int constant = 0;
  std::array<int, 3> columns{-1, -1, -1};  ///< unused ones, at the end, are -1

  static Quantity zero() { return {}; }
  static Quantity one() { return {.constant = 1}; }
  static Quantity of(int column) { return {.columns = {column, -1, -1}}; }
  bool is_zero() const { return constant == 0 && columns[0] < 0; }
  bool is_one() const { return constant == 1; }
  bool is_constant() const { return columns[0] < 0; }
  bool operator==(const Quantity&) const = default;
  /// The sum of two that are never both 1, with at most three columns between them.
  friend Quantity operator+(Quantity a, const Quantity& b);
};

/// The quantity at a point of the model, given the values of all columns.
inline double value_of(const Quantity& quantity, std::span<const double> values) {
  double sum = quantity.constant;
  for (const int column : quantity.columns) {
    if (column >= 0) sum += values[column];
  }
  return sum;
}

/// Quantities by stage t and node i <= t; zero where nothing was set.
class QuantityGrid {
 public:
  explicit QuantityGrid(int size) {
    rows_.reserve(size + 1);
    for (int t = 0; t <= size; ++t) rows_.emplace_back(t + 1);
  }
  const Quantity& operator()(int t, int i) const { return rows_[t][i]; }
  Quantity& operator()(int t, int i) { return rows_[t][i]; }

 private:
  std::vector<std::vector<Quantity>> rows_;
};

/// Residency of one tensor while a stage runs: the chain Z_1 >= ... >= Z_m >= H of
/// docs/formulation.md. `held[q]` says whether it is still there when `users[q]` runs.
struct HoldingChain {
  std::vector<int> users;      ///< nodes reading the tensor that this stage can compute, ascending
  std::vector<Quantity> held;  ///< by user
  Quantity at_end;             ///< whether it is held when the stage ends
};

/// The MILP of docs/formulation.md for a problem and a scope, with what its columns mean.
/// Objective in joules, the baseline's energy as offset; memory rows in bytes or rounded units.
struct Formulation {
  Milp milp;
  Scope scope;
  QuantityGrid carried;         ///< C[t,i]: in RAM when stage t starts, held since stage t-1
  QuantityGrid resident;        ///< S[t,i]: in RAM when stage t starts: C[t,i] + I[t-1,i]
  QuantityGrid compute;         ///< R[t,i]: computed in stage t; R[t,t] is one
  QuantityGrid page_in;         ///< I[t,i]: paged in during stage t
  QuantityGrid page_out;        ///< O[t,i]: paged out in stage t; full models only
  QuantityGrid stored;          ///< Q[t,i]: a copy exists when stage t starts; full models only
  std::vector<Quantity> paged;  ///< P[i]: ever paged out; collapsed models only
  std::vector<std::vector<HoldingChain>> chains;  ///< by stage t and node i < t

  int size() const { return static_cast<int>(scope.recompute.size()); }
  /// S[t,i] + R[t,i]: in RAM at some moment of stage t, paging aside.
  Quantity available(int t, int i) const;
};

/// Builds the model. Presolve that the scope implies is done on the way: constants are moved to
/// the right-hand sides, columns without meaning are not made, rows that cannot be violated are
/// left out. Of the techniques, those that concern rows are heeded.
Formulation formulate(const Problem& problem, const Scope& scope,
                      const Techniques& techniques = {});

}  // namespace poet
