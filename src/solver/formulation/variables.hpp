#pragma once

#include <array>
#include <span>
#include <vector>

#include "poet/problem.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A 0/1 expression over the model's columns: a constant plus up to four columns, of which at most
/// one is 1. Presolve moves most facts into constants, so the rows never ask which of the two it
/// is.
struct BinaryExpression {
  int constant = 0;
  std::array<int, 4> columns{-1, -1, -1, -1};  ///< unused ones, at the end, are -1

  static BinaryExpression zero() { return {}; }
  static BinaryExpression one() { return {.constant = 1}; }
  static BinaryExpression of(int column) { return {.columns = {column, -1, -1, -1}}; }
  bool is_zero() const { return constant == 0 && columns[0] < 0; }
  bool is_one() const { return constant == 1; }
  bool is_constant() const { return columns[0] < 0; }
  bool operator==(const BinaryExpression&) const = default;
  /// The sum of two that are never both 1, with at most four columns between them.
  friend BinaryExpression operator+(BinaryExpression a, const BinaryExpression& b);
};

/// The expression's value at a point of the model, given the values of all columns.
inline double value_of(const BinaryExpression& expression, std::span<const double> values) {
  double sum = expression.constant;
  for (const int column : expression.columns) {
    if (column >= 0) sum += values[column];
  }
  return sum;
}

/// Whether the expression is 1 at a point that is whole within a solver's tolerance.
inline bool holds(const BinaryExpression& expression, std::span<const double> values) {
  return value_of(expression, values) > 0.5;
}

/// Expressions by stage t and node i <= t; zero until set.
class ExpressionGrid {
 public:
  explicit ExpressionGrid(int size) {
    rows_.reserve(size + 1);
    for (int t = 0; t <= size; ++t) rows_.emplace_back(t + 1);
  }
  const BinaryExpression& operator()(int t, int i) const { return rows_[t][i]; }
  BinaryExpression& operator()(int t, int i) { return rows_[t][i]; }

 private:
  std::vector<std::vector<BinaryExpression>> rows_;
};

/// Residency of one tensor while a stage runs: the chain Z_1 >= ... >= Z_m >= H of
/// docs/formulation.md. `held[q]` says whether it is still there when `users[q]` runs.
struct HoldingChain {
  std::vector<int> users;  ///< nodes reading the tensor that this stage can compute, ascending
  std::vector<BinaryExpression> held;  ///< by user
  BinaryExpression at_end;             ///< whether it is held when the stage ends
  /// If the stage's own node reads it: whether it is held beside the output of that node, too.
  BinaryExpression after_own;
};

/// What the rows of the RAM budget are made of, and which of them the model contains.
struct MemoryBudget {
  Bytes ram_bytes = 0;
  bool on_demand = false;  ///< rows of recomputations come when needed (rows_on_demand.hpp)
};

/// The MILP of docs/formulation.md for a problem and its useful windows, with the meaning of its
/// columns. The objective is in joules with the baseline's energy as offset; memory rows are in
/// bytes.
struct Formulation {
  Milp milp;
  UsefulWindows windows;
  PagingTime paging_time = PagingTime::free;
  MemoryBudget memory;
  ExpressionGrid carried;   ///< C[t,i]: in RAM when stage t starts, held since stage t-1
  ExpressionGrid resident;  ///< S[t,i]: in RAM when stage t starts: C[t,i] + I[t-1,i]
  ExpressionGrid compute;   ///< R[t,i]: computed in stage t; R[t,t] is one
  ExpressionGrid page_in;   ///< I[t,i]: paged in during stage t
  ExpressionGrid page_out;  ///< O[t,i]: paged out in stage t; full models only
  ExpressionGrid stored;    ///< Q[t,i]: a copy exists when stage t starts; full models only
  std::vector<BinaryExpression> paged;            ///< P[i]: ever paged out; collapsed models only
  std::vector<std::vector<HoldingChain>> chains;  ///< by stage t and node i < t

  int size() const { return static_cast<int>(windows.recompute.size()); }
  bool overlapped() const { return paging_time == PagingTime::overlapped; }
  /// S[t,i] + R[t,i]: in RAM at some moment of stage t, paging aside.
  BinaryExpression available(int t, int i) const;
};

/// Calls f(t, i) for every stage t of the model and every node i < t.
template <typename Function>
void for_each_pair(const Formulation& model, Function f) {
  for (int t = model.windows.first_stage; t < model.size(); ++t) {
    for (int i = 0; i < t; ++i) f(t, i);
  }
}

/// Calls f(t, k) for every stage t of the model and every node k that it can compute, t included.
template <typename Function>
void for_each_computation(const Formulation& model, Function f) {
  for (int t = model.windows.first_stage; t < model.size(); ++t) {
    for (int k = 0; k <= t; ++k) {
      if (model.windows.can_compute(t, k)) f(t, k);
    }
  }
}

/// The model without rows: its columns and what they mean. The presolve that the windows imply is
/// done here: constants get no column, and neither do expressions without a meaning.
Formulation make_variables(const Problem& problem, const UsefulWindows& windows);

}  // namespace poet
