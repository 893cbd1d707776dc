// From joules to the whole units of a proof and back: no step claims more than is proven.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/moments/moment_model.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

/// A graph and a claim at most twice its baseline.
struct Claimed {
  Graph graph;
  Joules claim = 0;
  ProofCosts costs;
};

Claimed random_claim(Random& random) {
  std::vector<Node> forward;
  for (int k = 0, count = 2 + random.below(6); k < count; ++k) {
    forward.push_back(random_node(random, k));
    if (k > 0) forward.back().inputs = {k - 1};
  }
  Claimed found{.graph = training_graph(forward)};
  found.claim = baseline(found.graph).energy_joules * 2 * random.uniform();
  found.costs = costs_for_claim(found.graph, found.claim);
  return found;
}

/// A number of units that 128 bits hold.
__extension__ typedef __int128 Units;

/// A claim in units, rounded up, less what every schedule takes: what a proof of it has to reach.
Units units_for(const Claimed& found, Joules claim) {
  const auto units = [&](Joules joules, bool up) {
    const double exact = std::ldexp(joules, found.costs.shift);
    return static_cast<Units>(up ? std::ceil(exact) : std::floor(exact));
  };
  Units left = units(claim, true);
  for (const Node& node : found.graph.nodes) left -= units(node.energy_joules, false);
  return left;
}

TEST(ClaimOfBound, OfTheWholeTargetIsAtLeastTheClaim) {
  for (int seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Claimed found = random_claim(random);
    const Joules claim = claim_of_bound(found.graph, found.costs, found.costs.target);
    EXPECT_GE(claim, found.claim) << seed;
    EXPECT_TRUE(units_for(found, claim) <= found.costs.target) << seed;
  }
}

/// So that a tree for less has the columns that the certificate of its claim has.
TEST(CostsForLess, HaveTheTargetOfTheirClaim) {
  for (int seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Claimed found = random_claim(random);
    const auto units =
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(found.costs.target));
    const ProofCosts less = costs_for_less(found.graph, found.costs, units);
    const Joules claim = claim_of_bound(found.graph, found.costs, units);
    EXPECT_TRUE(units_for(found, claim) == less.target) << seed;
    EXPECT_LE(less.target, units) << seed;
    EXPECT_EQ(claim_of_bound(found.graph, less, less.target), claim) << seed;
    EXPECT_EQ(less.compute, found.costs.compute) << seed;
  }
}

TEST(ClaimOfBound, IsTheGreatestThatTheUnitsProve) {
  int above_baseline = 0;
  for (int seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Claimed found = random_claim(random);
    if (found.costs.target <= 0) continue;
    ++above_baseline;
    const auto units =
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(found.costs.target));
    const Joules claim = claim_of_bound(found.graph, found.costs, units);
    EXPECT_TRUE(units_for(found, claim) <= units) << seed;
    EXPECT_TRUE(units_for(found, claim * (1 + 1e-9)) > units) << seed;
  }
  EXPECT_GT(above_baseline, 500);
}

TEST(CostsForClaim, RoundCostsDownAndTheTargetUp) {
  for (int seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Claimed found = random_claim(random);
    const auto expect_down = [&](std::int64_t units, Joules joules) {
      if (units == ProofCosts::kDear) return;
      EXPECT_LE(std::ldexp(static_cast<long double>(units), -found.costs.shift), joules) << seed;
      EXPECT_GT(std::ldexp(static_cast<long double>(units + 1), -found.costs.shift), joules)
          << seed;
    };
    for (int i = 0; i < found.graph.size(); ++i) {
      const Node& node = found.graph.nodes[i];
      expect_down(found.costs.compute[i], node.energy_joules);
      expect_down(found.costs.page_in[i], node.page_in_energy_joules);
      expect_down(found.costs.page_out[i], node.page_out_energy_joules);
    }
    EXPECT_TRUE(found.costs.target == std::max<Units>(0, units_for(found, found.claim))) << seed;
  }
}

// Nine times the claim were as many units as 64 bits hold, and came back as a target.
TEST(CostsForClaim, HaveNoTargetFarBelowTheBaseline) {
  Random random(3);
  const Graph graph = random_claim(random).graph;
  const Joules least = baseline(graph).energy_joules;
  for (const double part : {2.0, 9.0, 20.0, 90.0, 1e3, 1e20, 1e40, 1e300}) {
    EXPECT_EQ(costs_for_claim(graph, least / part).target, 0) << part;
  }
}

TEST(CostsForInfeasible, MakeNothingTooDear) {
  Random random(1);
  const ProofCosts costs = costs_for_infeasible(random_claim(random).graph);
  EXPECT_TRUE(costs.proves_infeasible());
  EXPECT_EQ(std::accumulate(costs.page_out.begin(), costs.page_out.end(), std::int64_t{0}), 0);
}

}  // namespace
}  // namespace poet::test
