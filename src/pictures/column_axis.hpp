#pragma once

#include <vector>

#include "pictures/scale.hpp"
#include "pictures/svg_writer.hpp"
#include "poet/graph.hpp"
#include "poet/plot.hpp"
#include "poet/schedule.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

// What a training step has taken before each of its columns, and at its end: one entry more than
// there are columns. What a stage pages counts at its last computation, after which the stage is
// over.

/// Energy as it adds up, in joules, by what it is spent on.
struct EnergySoFar {
  std::vector<Joules> first;   ///< first computations
  std::vector<Joules> again;   ///< recomputations
  std::vector<Joules> paging;  ///< page-ins and page-outs

  Joules total(std::size_t edge) const { return first[edge] + again[edge] + paging[edge]; }
};

EnergySoFar energy_so_far(const Graph& graph, const Schedule& schedule,
                          const ScheduleTimeline& timeline);

/// Time as it adds up, in seconds, with transfers as the step is charged for them.
std::vector<Seconds> time_so_far(const Graph& graph, const Schedule& schedule,
                                 const ScheduleTimeline& timeline, PagingTime paging_time);

/// The x axis of a schedule's picture: a column for each computation, in order of execution.
class ColumnAxis {
 public:
  /// Columns whose widths are to each other as the differences between `edges`, which ascend from
  /// 0; their end must be above 0.
  ColumnAxis(std::vector<double> edges, double from, double to)
      : edges_(std::move(edges)), scale_{.low = 0, .high = edges_.back(), .from = from, .to = to} {}

  /// The left edge of a column, in pixels; of the column after the last one, the end of the axis.
  double operator()(int column) const { return scale_(edges_[column]); }
  double from() const { return scale_.from; }
  double to() const { return scale_.to; }
  const Scale& scale() const { return scale_; }

 private:
  std::vector<double> edges_;
  Scale scale_;
};

/// Makes the axis of a schedule between these two x. Throws InputError if its columns are to be as
/// wide as something of which the schedule takes none.
ColumnAxis make_column_axis(const ScheduleFile& file, const ScheduleTimeline& timeline,
                            ColumnWidth columns, double from, double to);

/// Returns the marks of the axis, with values for its scale: the numbers of stages, each at its
/// first column, or round times or energies.
std::vector<Tick> column_ticks(const ColumnAxis& axis, const ScheduleTimeline& timeline,
                               ColumnWidth columns);

/// Draws the marks under a chart, and what they count. Takes kColumnNumbersHeight from `top` down.
inline constexpr double kColumnNumbersHeight = 34;
void draw_column_numbers(SvgWriter& svg, const ColumnAxis& axis, const std::vector<Tick>& ticks,
                         ColumnWidth columns, double top);

}  // namespace poet::plot
