#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "solver/milp/linear_program.hpp"
#include "solver/moments/leaf.hpp"
#include "solver/moments/moment_model.hpp"
#include "solver/moments/moment_rows.hpp"
#include "solver/work.hpp"

namespace poet {

/// The linear relaxation of a moment model, with the rows that a search has found so far and the
/// branches that lead to a node of its tree. The objective is kProofTarget at the target.
inline constexpr double kProofTarget = 1e4;

class ProofProgram {
 public:
  /// `rows`: that it begins with, but for those that are rarely tight.
  ProofProgram(const MomentModel& model, const ProofCosts& costs, std::vector<ProofRow> rows,
               Seconds seconds, std::int64_t most_work);

  /// Prices of rows that close a node. A row is the number of a line, or -1 - d for the branch at
  /// depth d.
  struct Leaf {
    bool is_conflict = false;  ///< no point satisfies the rows, at any cost
    WholePrices prices;
  };
  enum class Outcome { closed, open, failed };

  /// Solves the program as it is. If that closes the node, or raises the units that are proven of
  /// it, leaf() has the prices.
  Outcome solve();
  /// For a node whose optimum is a point that satisfies its rows as far as Clp tells: whether one
  /// row of large coefficients is violated by each point of the others, by less than Clp tolerates.
  bool closes_at_an_edge();
  const Leaf& leaf() const { return leaf_; }
  /// The extra energy, in units, that is proven of the node; the target or more if it is closed.
  std::int64_t units() const { return units_; }
  double bound() const { return program_.bound(); }
  /// What bound() has to reach: the target.
  double ceiling() const {
    return kProofTarget * static_cast<double>(target_) / static_cast<double>(costs_.target);
  }
  std::int64_t target() const { return target_; }
  void lower_target(std::int64_t target) { target_ = std::min(target_, target); }
  /// Whether the prices of the last solve() reach a target that has fallen since.
  bool closes() { return closes(program_.prices()); }
  std::span<const double> values() const { return program_.values(); }
  std::int64_t work() const { return work_.moves(); }
  /// So many seconds in all.
  void allow(Seconds seconds) { clock_ = Countdown(seconds - clock_.elapsed()); }
  /// Whether half of the time is over.
  bool is_late() const { return clock_.elapsed() > clock_.remaining(); }
  bool expired() const { return clock_.expired() || work() >= most_work_; }

  /// Rows that the optimum violates enter, or its nearest whole point by however little; false if
  /// there are none.
  bool add_violated_rows(bool whole = false);
  void remove_slack_rows();
  const std::string& line(int row) const { return pool_[row].line; }

  /// What one more row would add to the bound, by a few iterations. The program is as before.
  double gain(const ProofRow& row);

  /// Where the search is: the rows, the basis and the branches of a node, and what is proven of it.
  struct Place {
    std::vector<int> rows;
    std::vector<unsigned char> basis;
    std::vector<std::shared_ptr<const ProofRow>> branches;
    std::int64_t units = 0;
  };
  Place place() const {
    return {.rows = rows_, .basis = program_.basis(), .branches = branches_, .units = units_};
  }
  void return_to(const Place& place);
  void push_branch(ProofRow row);

 private:
  LinearProgram::Status solve(double ceiling, Seconds seconds);
  const ProofRow& row(int number) const {
    return number >= 0 ? pool_[number] : *branches_[-1 - number];
  }
  void enter(std::span<const int> numbers);
  void remove(const std::vector<int>& positions);
  void take(ProofRow row, std::vector<int>& violated);
  std::vector<double> of_proof_rows(std::span<const double> prices, double factor) const;
  std::vector<const ProofRow*> proof_rows() const;
  void keep_leaf(bool is_conflict, WholePrices prices);
  bool is_closed();
  bool closes(std::span<const double> prices);
  bool closes_as_conflict(std::span<const double> prices);
  bool proves_conflict(std::span<const double> prices);
  std::vector<double> prices_at_edge(std::size_t position);

  const MomentModel& model_;
  const ProofCosts& costs_;
  double unit_;  // of costs in the objective
  std::int64_t target_;
  LinearProgram program_;
  Countdown clock_;
  std::int64_t most_work_;  // in moves
  Work work_;
  std::vector<ProofRow> pool_;  // every row ever made
  std::vector<bool> in_program_;
  std::unordered_set<std::string> known_;
  std::vector<int> rows_;  // of the program
  std::vector<std::shared_ptr<const ProofRow>> branches_;
  Leaf leaf_;
  std::int64_t units_ = 0;
};

}  // namespace poet
