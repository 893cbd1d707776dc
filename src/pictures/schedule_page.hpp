#pragma once

#include <string>
#include <vector>

#include "pictures/column_axis.hpp"
#include "pictures/look.hpp"
#include "pictures/scale.hpp"
#include "pictures/stack.hpp"
#include "pictures/svg_writer.hpp"
#include "poet/schedule_file.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

/// What the parts of a schedule's picture have in common.
struct SchedulePage {
  const ScheduleFile& file;
  Look look;
  ScheduleTimeline timeline;
  Stack stack;
  ColumnAxis x;
  std::vector<Tick> ticks;  ///< of the x axis
  std::vector<int> lanes;   ///< the nodes that have one
  std::vector<Bytes> kept;  ///< if it is drawn: the RAM of keeping everything, in each column
};

/// Prepares the page of a schedule, which must be valid. Throws InputError as schedule_svg does.
SchedulePage make_schedule_page(const ScheduleFile& file, const PictureOptions& options);

/// `12 conv1`, which ends this far to the left of the charts.
std::string lane_label(const Graph& graph, int node);
inline constexpr double kLaneLabelGap = 8;

/// `12 conv1 (conv2d), 64 KiB`.
std::string describe(const Graph& graph, int node);

/// Draws a heading; what it is of begins kHeadingHeight below `top`.
inline constexpr double kHeadingHeight = 22;
void draw_heading(SvgWriter& svg, const Look& look, double top, const char* text);

/// Draws a light line at every tick of the x axis, and one at the first backward node.
void draw_grid(SvgWriter& svg, const SchedulePage& page, double top, double bottom);

/// `resnet18_cifar on m4`.
std::string schedule_title(const ScheduleFile& file);

/// Draws the title and the figures of a schedule, from the top of the page down; figures that do
/// not fit beside each other are in several rows.
double schedule_header_height(const ScheduleFile& file, const Look& look);
void draw_schedule_header(SvgWriter& svg, const ScheduleFile& file, const Look& look);

/// Draws RAM over time with its budget and, under it, the computations that run.
double memory_chart_height(const SchedulePage& page);
void draw_memory_chart(SvgWriter& svg, const SchedulePage& page, double top);

/// Draws energy over the same columns, with its legend.
double energy_chart_height(const SchedulePage& page);
void draw_energy_chart(SvgWriter& svg, const SchedulePage& page, double top);

/// Whether a tensor is recomputed or paged.
bool is_changed(const Life& life);

/// Draws a lane for each tensor that has one, in the order of the nodes.
double tensor_lanes_height(const SchedulePage& page);
void draw_tensor_lanes(SvgWriter& svg, const SchedulePage& page, double top);

}  // namespace poet::plot
