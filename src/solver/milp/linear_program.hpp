#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "poet/units.hpp"
#include "solver/milp/milp.hpp"
#include "solver/work.hpp"

namespace poet {

/// The linear relaxation of a model, kept warm: rows come and go, and each solve starts from the
/// last basis. Wraps COIN-OR Clp, whose headers stay in clp.cpp. Use it in a child process only.
class LinearProgram {
 public:
  enum class Status { optimal, infeasible, stopped };

  /// Columns and rows of the model without integrality and without its objective offset.
  explicit LinearProgram(const Milp& milp);
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;
  ~LinearProgram();

  /// Stops when the objective passes `ceiling` (the model then has nothing below it: infeasible),
  /// or after so many seconds or iterations. If Clp reports "infeasible" without prices that prove
  /// it, the status is `stopped`.
  Status solve(double ceiling, Seconds seconds, std::int64_t iterations = kNoLimit);

  /// At an optimum: the part of its cost that the prices of the rows prove (dual_bound.hpp), and
  /// the reduced costs for these prices. Neither depends on Clp's tolerances.
  double bound() const;
  std::span<const double> reduced_costs() const;
  std::span<const double> values() const;
  /// The prices of the rows that the last answer rests on: at an optimum, or if there is nothing
  /// below the ceiling.
  std::span<const double> prices() const;
  /// Prices that prove that no point satisfies the rows (Farkas); empty unless the last solve found
  /// them.
  const std::vector<double>& ray() const;
  /// Such prices from another linear program, "by how much must all rows give way?", which has
  /// clean ones if Clp's ray is missing or coarse. Empty if Clp has neither.
  std::vector<double> prices_of_conflict(Seconds seconds) const;
  int rows() const;
  int iterations() const;  ///< of the last solve

  void add_rows(std::span<const MilpRow> rows);
  void set_row_bounds(int row, double lower, double upper);
  /// Rows that are slack by the current basis, ascending.
  std::vector<int> slack_rows() const;
  /// The remaining rows keep their order.
  void remove_rows(std::span<const int> rows);

  /// The state of every column and then every row in the last basis, in Clp's code. Set it again
  /// only when the rows are the same.
  std::vector<unsigned char> basis() const;
  void set_basis(std::span<const unsigned char> basis);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace poet
