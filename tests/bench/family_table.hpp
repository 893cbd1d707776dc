#pragma once

#include <string>
#include <vector>

#include "best_known.hpp"
#include "measure.hpp"

namespace poet::bench {

/// A row for each kind of graph among the measurements: how many of how many were proven in 1, 10
/// and 60 s; mean and worst gap and gap on the extra energy, %; mean and worst excess of the extra
/// energy over the best known, %, 10 s into the solve and at its end. The best known is that of
/// `known`, or the run's own schedule where that is better; how many were is stated. A second row
/// names what the worst figures are of.
std::string family_table(const std::vector<Measurement>& measurements, const BestKnown& known);

}  // namespace poet::bench
