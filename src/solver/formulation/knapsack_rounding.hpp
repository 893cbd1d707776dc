#pragma once

#include <cstdint>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// sum of weight[j] * x[j] <= capacity over 0/1 x, with integer weights.
struct Knapsack {
  std::vector<std::int64_t> weights;
  std::int64_t capacity = 0;
};

/// A knapsack with the same 0/1 solutions and, where one is found, a tighter relaxation: "7.5
/// slots of 64 KiB" becomes 7. Candidate roundings measure the weights in units of each distinct
/// weight; a candidate counts only if two small dynamic programs prove that it admits exactly the
/// same sets. Without one, the capacity is lowered to the largest reachable sum where that is
/// cheap to find. Weights must not be negative.
Knapsack tighten(const Knapsack& knapsack);

}  // namespace poet
