#pragma once

#include <memory>
#include <span>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// The linear relaxation of a model, kept warm: rows come and go, each solve starts from the last
/// basis. Wraps COIN-OR Clp, whose headers stay in clp.cpp. Use it in a child process only.
class LinearProgram {
 public:
  enum class Status { optimal, infeasible, stopped };

  /// Columns and rows of the model without integrality and without its objective offset.
  explicit LinearProgram(const Milp& milp);
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;
  ~LinearProgram();

  /// Stops when the objective passes `ceiling` (then the model has nothing below it: infeasible)
  /// or after `seconds`. What Clp calls infeasible without prices that prove it is `stopped`.
  Status solve(double ceiling, Seconds seconds);

  /// At an optimum: its cost, as far as the prices of the rows prove it (dual_bound.hpp), and the
  /// reduced costs for these prices; Clp's tolerances have no part in either.
  double bound() const;
  std::span<const double> reduced_costs() const;
  std::span<const double> values() const;
  int rows() const;
  int iterations() const;  ///< of the last solve

  void add_rows(std::span<const MilpRow> rows);
  void set_row_bounds(int row, double lower, double upper);
  /// Rows that are slack by the current basis, ascending.
  std::vector<int> slack_rows() const;
  /// The others keep their order.
  void remove_rows(std::span<const int> rows);

  /// The state of every column and then every row in the last basis, in Clp's code; to be set
  /// again when the rows are the same.
  std::vector<unsigned char> basis() const;
  void set_basis(std::span<const unsigned char> basis);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace poet
