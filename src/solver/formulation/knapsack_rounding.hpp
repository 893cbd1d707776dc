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

/// A knapsack with the same 0/1 solutions and, if one is found, a tighter relaxation: "7.5 slots of
/// 64 KiB" becomes 7. Weights must not be negative.
///
/// The obvious row is in bytes, and its relaxation fills the last fraction of the budget with a
/// fraction of a tensor. Dividing by a unit and rounding down (Chvatal and Gomory) is valid but can
/// lose most of the row if a few sizes are odd. So candidates measure all weights in units of each
/// distinct weight, rounded down, to nearest or up, and a candidate counts only if two small
/// dynamic programs prove that it admits exactly the same sets: one finds the greatest rounded
/// value of a set that fits, which becomes the capacity; the other checks that every set within
/// that capacity fits the true one. The tightest candidate wins. If there is none, the capacity is
/// lowered to the largest sum of weights that can be reached, provided that this is cheap to find.
///
/// Together with the page-out link the rounded sub-rows (memory_rows.cpp) lift the linear
/// relaxation of hard chains from about a half of the optimum's extra energy to three quarters. All
/// of it is exact, in whole bytes.
Knapsack tighten(const Knapsack& knapsack);

/// Rows in rounded weights that every set of items within the capacity satisfies, the tightest
/// first, each tighter than the row in bytes. They may admit sets that do not fit, so they stand
/// beside the row in bytes.
std::vector<Knapsack> rounded_rows(const Knapsack& knapsack);

}  // namespace poet
