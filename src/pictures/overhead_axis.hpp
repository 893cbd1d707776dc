#pragma once

#include <vector>

#include "pictures/curves.hpp"
#include "pictures/scale.hpp"

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

}  // namespace poet::plot
