#pragma once

#include <string>
#include <vector>

#include "plot/scale.hpp"
#include "plot/stack.hpp"
#include "plot/svg_writer.hpp"
#include "plot/timeline.hpp"
#include "poet/report.hpp"

namespace poet::plot {

/// What the parts of a schedule's picture have in common.
struct SchedulePage {
  const Report& report;
  Timeline timeline;
  Stack stack;
  Scale x;                        ///< columns to pixels
  std::vector<Tick> stage_ticks;  ///< columns with the number of the stage that starts there
};

/// Columns between these two x; the report's schedule has to be valid.
SchedulePage make_schedule_page(const Report& report, double left, double right);

/// `12 conv1 (conv2d), 64 KiB`.
std::string describe(const Graph& graph, int node);

/// A light line at every stage that has a tick, and one where the backward pass begins.
void draw_grid(SvgWriter& svg, const SchedulePage& page, double top, double bottom);

/// RAM over time with its budget and, under it, which computations run; the stages' numbers are
/// written below. Takes kMemoryChartHeight from `top` down.
inline constexpr double kMemoryChartHeight = 350;
void draw_memory_chart(SvgWriter& svg, const SchedulePage& page, double top);

/// A lane per tensor in the order of the network.
double tensor_lanes_height(const SchedulePage& page);
void draw_tensor_lanes(SvgWriter& svg, const SchedulePage& page, double top);

}  // namespace poet::plot
