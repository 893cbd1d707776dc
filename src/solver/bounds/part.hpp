#pragma once

#include <vector>

#include "solver/milp/milp.hpp"

namespace poet {

/// A range for one count (counts.hpp).
struct CountRange {
  int count = 0;  ///< its index
  double lower = -kInfinity;
  double upper = kInfinity;
};

/// A part of the problem: the solutions in which some counts are in ranges.
struct Part {
  double bound = -kInfinity;  ///< on the scaled objective, for every solution in the part
  std::vector<CountRange> ranges;
};

/// Of several ranges for one count only the tightest.
std::vector<CountRange> tightest(const std::vector<CountRange>& ranges);

}  // namespace poet
