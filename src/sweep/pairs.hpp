#pragma once

#include <map>
#include <string>
#include <vector>

#include "sweep/rows.hpp"

namespace poet {

/// One point of a result that is compared with another.
struct ComparedPoint {
  SweepRow row;
  std::string fault;  ///< not empty: its schedule does not replay, and why
};

/// A result: a sweep, or one schedule file as its only point.
struct ComparedResult {
  bool is_sweep = false;
  bool has_problem = true;  ///< false for the document of a single solve that failed
  std::vector<ComparedPoint> points;
};

/// The first thing in which the problems of two points differ, their figures included; empty if
/// there is none.
std::string problem_difference(RowProblem before, RowProblem now);

/// In what a schedule file is not the one that a sweep's row is about; empty if it is.
std::string row_difference(const SweepRow& row, const ScheduleFile& file);

/// Whether a model on a platform has another graph now, with all else the same but budgets.
bool graph_changed(const SweepRow& before, const SweepRow& now);

/// The points of two sweeps that belong together, and those that are left over.
class Pairs {
 public:
  /// Keeps references.
  Pairs(const ComparedResult& baseline, const ComparedResult& fresh);

  /// The new point that stands for one of the baseline, if there is one.
  const ComparedPoint* partner_of(const ComparedPoint& point) const;
  /// Those that no point of the baseline stands for, in the order of the result.
  const std::vector<const ComparedPoint*>& new_points() const { return new_; }

 private:
  /// A budget that is a share of something is at another place in another graph, so that no point
  /// has the same key. Rows come in the order of the grid, so the nth of one is the nth of the
  /// other.
  void pair_changed_graphs(const ComparedResult& baseline);

  std::map<const ComparedPoint*, const ComparedPoint*> partner_;
  std::vector<const ComparedPoint*> new_;
};

}  // namespace poet
