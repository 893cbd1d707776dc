#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/simulate.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// The rows of each sweep, if the results of several stand one after the other: each starts at 0.
std::vector<std::span<const SweepRow>> split_sweeps(std::span<const SweepRow> rows);

/// Compares the rows of a sweep with each other and with the graphs and schedules that its files
/// hold. What a row shares with its own file is for row_difference() to compare.
class RowVerifier {
 public:
  /// Keeps a reference.
  explicit RowVerifier(std::span<const SweepRow> rows);

  /// Takes in the schedule file of a row, which has to be valid and about the row's problem.
  void add(std::size_t row, const ScheduleFile& file);

  /// What is wrong, one line each, which starts with the name of the point.
  std::vector<std::string> findings() const;

 private:
  struct KnownGraph {
    Graph graph;
    Baseline base;
  };
  using Lines = std::vector<std::string>;

  const KnownGraph* graph_of(const SweepRow& row) const;
  bool fits(std::size_t schedule, const Limits& limits) const;

  void check_budgets(Lines& found, const SweepRow& row) const;
  void check_baseline(Lines& found, const SweepRow& row) const;
  void check_status(Lines& found, const SweepRow& row) const;
  void check_origin(Lines& found, const SweepRow& row) const;
  void check_reused(Lines& found, const SweepRow& row) const;
  void check_others(Lines& found, std::size_t row) const;

  std::span<const SweepRow> rows_;
  std::map<std::string, KnownGraph> graphs_;    ///< by digest
  std::vector<std::optional<Replay>> replays_;  ///< by row, for any limits
};

}  // namespace poet
