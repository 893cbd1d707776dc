#pragma once

#include "plot/curves.hpp"
#include "plot/svg_writer.hpp"

namespace poet::plot {

struct Rectangle {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// What the marks of budgets without a schedule take of a panel's height: a row per curve.
double gap_rows_height(const Panel& panel);

/// One model's curves, with axes and their numbers, within `place`. The axis on the right is in
/// joules where one baseline holds for all curves. `labels` are the curves' by style.
void draw_sweep_panel(SvgWriter& svg, const Panel& panel, const std::vector<std::string>& labels,
                      const Rectangle& place);

}  // namespace poet::plot
