#pragma once

#include <string>
#include <vector>

#include "poet/sweep.hpp"

namespace poet {

/// What single solves, or an earlier sweep, have left in a folder, by point. A file that is not
/// there, that is about another problem or does not say what it is about, or whose schedule does
/// not replay, is a failure of its point. With OrderKind::search a file may be in any order of the
/// nodes; else it has to be in the order of its subject. A malformed file fails its point only.
SweepOutcomes collect_outcomes(const std::string& folder, const SweepGrid& grid,
                               const std::vector<SweepPoint>& points, OrderKind kind,
                               CopyChoice copies = CopyChoice::none);

}  // namespace poet
