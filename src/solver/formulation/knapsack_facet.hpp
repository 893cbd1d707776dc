#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace poet {

/// sum of weight[j] * x[j] <= capacity over 0/1 x, with whole weights.
struct Knapsack {
  std::vector<std::int64_t> weights;
  std::int64_t capacity = 0;
};

/// A row in small whole weights that every 0/1 point of the knapsack satisfies and `point` misses
/// by more than `tolerance`, as a distance; nothing if there is none, or if none was found. Weights
/// must not be negative; values of the point outside [0, 1] count as 0 or 1.
///
/// The separation is exact (Fenchel cuts, Boyd 1994), but for what takes too long. A linear
/// program seeks the weights, of at most 1 in each set that fits, under which the point weighs
/// most, and a dynamic program the next set that weighs more than 1. Dynamic programs in whole
/// bytes then lift the items at 1 and at 0, and find the capacity: the row is valid for any
/// weights the linear program found. Use it in a child process only.
std::optional<Knapsack> violated_facet(const Knapsack& knapsack, std::span<const double> point,
                                       double tolerance);

/// The knapsack in units of one of its weights, rounded down (Chvatal and Gomory): of these rows,
/// which every 0/1 point of the knapsack satisfies, the one that admits the least share of all
/// items.
Knapsack in_units(const Knapsack& knapsack);

/// By how much a point misses the row, as a distance; below 0 if it satisfies it.
double distance(const Knapsack& row, std::span<const double> point);

}  // namespace poet
