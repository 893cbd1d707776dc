#pragma once

#include <span>
#include <vector>

#include "solver/bounds/counts.hpp"

namespace poet {

/// A count that is fractional at a point.
struct Branching {
  int count = -1;    ///< its index; -1: none that matters
  double value = 0;  ///< of it
};

/// Where to branch at a point of the relaxation (values of the model's columns). Nothing, if no
/// count could gain as much as a small share of `ceiling`.
Branching choose_branching(const std::vector<Count>& counts, std::span<const double> values,
                           double ceiling);

}  // namespace poet
