#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/sweep.hpp"
#include "runs/earlier_run.hpp"
#include "sweep/request.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// The result of a sweep that goes on with other settings although it was finished. Proven rows
/// stay as they are, from any build; what is open begins with its schedule, if there is a file of
/// it, and its bound.
class FinishedSweep {
 public:
  /// Reads the lines, and the schedule files that they name. Throws InputError for what is not the
  /// JSON lines of a sweep.
  FinishedSweep(const std::string& path, const Note& warn);

  /// Throws InputError unless the rows are about these very points, and in the order of their
  /// subject unless a search gives each an order of its own.
  void check(const SweepGrid& grid, const std::vector<SweepPoint>& points, OrderKind kind) const;

  /// Throws InputError unless the sweep was made with this order of the nodes: what is proven is
  /// about the orders that it was asked for.
  void check_order(const SweepRequest& request) const;

  /// Fills in the outcomes of proven points, and for the others the starts, by subject, and the
  /// bounds, by point. A point that has an outcome keeps it. Of a proof in an order that no
  /// schedule file states, only the row is left.
  void take(const SweepGrid& grid, const std::vector<SweepPoint>& points,
            const SolveSettings& settings, SweepOutcomes& outcomes,
            std::vector<std::vector<OrderedSchedule>>& starts,
            std::vector<OrderBound>& bounds) const;

  /// Puts back the rows whose schedule is not known here and that are no worse than what was found.
  void keep_rows(std::vector<PointResult>& results, double gap) const;

 private:
  struct Row {
    SweepRow row;
    std::optional<ScheduleFile> file;  ///< valid, and the row's own
  };

  std::string path_;
  std::vector<Row> rows_;
};

}  // namespace poet
