#pragma once

#include "pictures/curves.hpp"
#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// Where something is drawn, in pixels; y grows downwards.
struct Rectangle {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Returns the part of a panel's height that the marks of budgets without a schedule take: a row
/// for each curve that has such budgets.
double gap_rows_height(const Panel& panel);

/// Draws one model's curves, with axes and their numbers, within `place`. The axis on the right is
/// in joules if all curves have the same baseline. `labels` has the label of each style.
void draw_sweep_panel(SvgWriter& svg, const Panel& panel, const std::vector<std::string>& labels,
                      const Rectangle& place);

}  // namespace poet::plot
