#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "support/random_schedules.hpp"

namespace poet::test {

// Where a schedule offers an occasion to corrupt it.

/// A node in a stage.
struct Spot {
  int stage = 0;
  int node = 0;
};

inline bool has(const std::vector<int>& list, int node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

inline void insert_sorted(std::vector<int>& list, int node) {
  list.insert(std::upper_bound(list.begin(), list.end(), node), node);
}

/// A random (stage, node) for which the condition on (stage number, stage, node) holds.
template <typename Condition>
std::optional<Spot> find_spot(Random& random, const Case& made, Condition&& condition) {
  std::vector<Spot> spots;
  for (int t = 0; t < made.graph.size(); ++t) {
    for (int node = 0; node < made.graph.size(); ++node) {
      if (condition(t, made.schedule.stages[t], node)) spots.push_back({t, node});
    }
  }
  if (spots.empty()) return {};
  return pick(random, spots);
}

}  // namespace poet::test
