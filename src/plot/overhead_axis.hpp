#pragma once

#include <vector>

#include "plot/curves.hpp"
#include "plot/scale.hpp"

namespace poet::plot {

/// Overheads from 0 up on pixels. The techniques' overheads often lie orders of magnitude apart;
/// then the axis is logarithmic, but for the part near 0.
class OverheadAxis {
 public:
  /// `bottom` and `top` are where 0 and the largest overhead of the panel go.
  OverheadAxis(const Panel& panel, double bottom, double top);

  /// Kept within the axis.
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
