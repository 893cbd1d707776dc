// What a certificate of a schedule claims.
#include <gtest/gtest.h>

#include "poet/certify.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {
namespace {

TEST(CertifiableClaim, IsALittleLessThanTheBound) {
  const Graph graph = chain_problem(10, 10).graph;
  const Joules least = baseline(graph).energy_joules;
  const Joules energy = 2 * least;
  // A bound with a gap gives up 1e-7 of its extra energy, and one without 1e-5 of the schedule's.
  const Joules open = certifiable_claim(graph, energy, 1.5 * least);
  EXPECT_LT(open, 1.5 * least);
  EXPECT_GE(open, 1.5 * least - 0.51e-7 * least);
  const Joules closed = certifiable_claim(graph, energy, energy);
  EXPECT_LT(closed, energy);
  EXPECT_LE(closed, energy - 1e-5 * least * (1 - 1e-9));
  EXPECT_GE(closed, energy - 1.1e-5 * least);
  EXPECT_LT(open, closed);
  // Where nothing is extra, only the rounding of sums counts.
  const Joules none = certifiable_claim(graph, least, least);
  EXPECT_LT(none, least);
  EXPECT_GE(none, least * (1 - 1.1e-12));
  EXPECT_LE(certifiable_claim(graph, energy, 0.5 * least), 0.5 * least);
}

}  // namespace
}  // namespace poet::test
