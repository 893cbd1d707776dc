#pragma once

#include <vector>

#include "pictures/curves.hpp"
#include "pictures/legend.hpp"

namespace poet::plot {

/// What colours and dashes stand for, as far as curves differ in them.
std::vector<LegendEntry> curve_legend(const CurveSet& set);

/// The marks that the picture has.
std::vector<LegendEntry> mark_legend(const CurveSet& set);

}  // namespace poet::plot
