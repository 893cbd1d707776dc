#pragma once

#include <span>
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
  /// Puts overhead 0 at `bottom` and the largest overhead of all panels just below `top`, in
  /// pixels: panels of one picture have one axis.
  OverheadAxis(std::span<const Panel> panels, double bottom, double top,
               OverheadScale wanted = OverheadScale::automatic);
  OverheadAxis(const Panel& panel, double bottom, double top)
      : OverheadAxis(std::span(&panel, 1), bottom, top) {}

  /// Returns the pixel for an overhead, kept within the axis.
  double operator()(double overhead) const { return scale_.clamped(bent(overhead)); }
  std::vector<Tick> ticks() const;
  /// Ticks with labels in joules for this baseline: round energies, or on a logarithmic axis those
  /// of ticks(). Values are overheads. None if all labels would be alike.
  std::vector<Tick> energy_ticks(Joules baseline) const;
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

/// Returns the part of a panel's height that the marks of budgets without a schedule take: rows of
/// curves that have such budgets.
double gap_rows_height(const CurveSet& set, const Panel& panel);

/// Whether a panel can have an axis in joules: its curves have one baseline, and the numbers fit.
bool has_energy_ticks(const CurveSet& set, const Panel& panel);

/// Where a panel is, and which axes it has.
struct PanelPlace {
  Rectangle place;
  bool overhead_title = true;   ///< only the first panel of a row needs one
  bool has_energy_axis = true;  ///< room for an axis in joules on the right
};

/// Draws the curves of a model on a platform, with axes and their numbers. The axis on the right is
/// in joules if all curves have the same baseline.
void draw_sweep_panel(SvgWriter& svg, const CurveSet& set, const Panel& panel,
                      const PanelPlace& where);

}  // namespace poet::plot
