#pragma once

#include <string>
#include <vector>

#include "pictures/scale.hpp"
#include "pictures/stack.hpp"
#include "pictures/svg_writer.hpp"
#include "poet/schedule_file.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

/// What the parts of a schedule's picture have in common.
struct SchedulePage {
  const ScheduleFile& report;
  ScheduleTimeline timeline;
  Stack stack;
  Scale x;                        ///< columns to pixels
  std::vector<Tick> stage_ticks;  ///< columns with the number of the stage that starts there
};

/// Prepares a page whose columns lie between these two x. The schedule must be valid.
SchedulePage make_schedule_page(const ScheduleFile& report, double left, double right);

/// `12 conv1 (conv2d), 64 KiB`.
std::string describe(const Graph& graph, int node);

/// Draws a light line at every stage that has a tick, and one at the start of the backward pass.
void draw_grid(SvgWriter& svg, const SchedulePage& page, double top, double bottom);

/// `resnet18_cifar on m4`.
std::string schedule_title(const ScheduleFile& report);

/// The title and the figures of a schedule, from the top of the picture down.
inline constexpr double kScheduleHeaderHeight = 126;
void draw_schedule_header(SvgWriter& svg, const ScheduleFile& report, double left, double right);

/// Draws RAM over time with its budget and, under it, the computations that run and the numbers of
/// the stages. Takes kMemoryChartHeight from `top` down.
inline constexpr double kMemoryChartHeight = 350;
void draw_memory_chart(SvgWriter& svg, const SchedulePage& page, double top);

/// Draws a lane for each tensor, in the order of the network.
double tensor_lanes_height(const SchedulePage& page);
void draw_tensor_lanes(SvgWriter& svg, const SchedulePage& page, double top);

}  // namespace poet::plot
