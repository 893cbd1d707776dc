#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "solver/milp/milp.hpp"

namespace poet {

/// The columns of a model as COIN-OR takes them. A bound that there is not is the largest double.
struct ColumnArrays {
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> costs;

  explicit ColumnArrays(const Milp& milp) {
    for (const MilpColumn& column : milp.columns) {
      lower.push_back(column.lower);
      upper.push_back(std::min(column.upper, std::numeric_limits<double>::max()));
      costs.push_back(column.cost);
    }
  }
};

}  // namespace poet
