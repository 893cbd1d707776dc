#pragma once

#include <string>
#include <vector>

#include "pictures/curves.hpp"
#include "pictures/scale.hpp"
#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// Maps overheads from 0 up to pixels. Recomputing and paging often differ by orders of magnitude;
/// then the axis is logarithmic except near 0, which a logarithm cannot show and which is where the
/// best points are (log1p, as symmetric logarithmic axes have it).
class OverheadAxis {
 public:
  /// Puts overhead 0 at `bottom` and the largest overhead of the panel just below `top`, in pixels.
  OverheadAxis(const Panel& panel, double bottom, double top);

  /// Returns the pixel for an overhead, kept within the axis.
  double operator()(double overhead) const { return scale_.clamped(bent(overhead)); }
  std::vector<Tick> ticks() const;
  bool logarithmic() const { return linear_below_ > 0; }

 private:
  double bent(double overhead) const;

  double most_ = 0;
  double linear_below_ = 0;  ///< 0: linear everywhere
  Scale scale_;
};

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
