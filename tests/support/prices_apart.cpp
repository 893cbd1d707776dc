#include "support/prices_apart.hpp"

#include <cmath>

namespace poet::test {
namespace {

constexpr int kMostDecades = 28;

/// What prices have in common.
enum class Pattern {
  scattered,        ///< each is anywhere
  cheap_or_dear,    ///< each is at one of the two ends
  dear_transfers,   ///< computations are at the lower end, transfers at either
  cheap_transfers,  ///< computations are at the upper end, transfers anywhere
  by_kind,          ///< those of a kind are at the same height
  by_node,          ///< those of a node are at the same height
};
constexpr int kPatterns = 6;

/// Where a price lies between the cheapest, at 0, and the dearest, at 1.
struct Heights {
  double energy = 0;
  double page_in = 0;
  double page_out = 0;
};

double end(Random& random) {
  return random.below(2);
}

Heights heights(Random& random, Pattern pattern, const Heights& by_kind) {
  switch (pattern) {
    case Pattern::scattered:
      return {random.uniform(), random.uniform(), random.uniform()};
    case Pattern::cheap_or_dear:
      return {end(random), end(random), end(random)};
    case Pattern::dear_transfers:
      return {0, end(random), end(random)};
    case Pattern::cheap_transfers:
      return {1, random.uniform(), random.uniform()};
    case Pattern::by_kind:
      return by_kind;
    case Pattern::by_node:
      break;
  }
  const double height = random.uniform();
  return {height, height, height};
}

}  // namespace

Problem with_prices_apart(Random& random, Problem problem) {
  const double decades = 1 + (kMostDecades - 1) * random.uniform();
  // Around 1 J, or with one of the ends there.
  const double lowest = -decades * random.below(3) / 2;
  const auto pattern = static_cast<Pattern>(random.below(kPatterns));
  const bool equal = random.below(2) == 0;
  const Heights by_kind{random.uniform(), random.uniform(), random.uniform()};
  const auto price = [&](double height) {
    if (random.below(12) == 0) return 0.0;
    const double factor = equal ? 1 : 1 + random.below(9);
    return factor * std::pow(10.0, lowest + decades * height);
  };
  for (Node& node : problem.graph.nodes) {
    const Heights node_heights = heights(random, pattern, by_kind);
    node.energy_joules = price(node_heights.energy);
    node.page_in_energy_joules = price(node_heights.page_in);
    node.page_out_energy_joules = price(node_heights.page_out);
  }
  return problem;
}

}  // namespace poet::test
