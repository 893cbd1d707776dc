#pragma once

#include "poet/problem.hpp"
#include "solver/search/position.hpp"

namespace poet::test {

/// The problem with other prices, 1 to 28 decades apart, cheap and dear ones in one graph: per node
/// and kind of price (a computation, a page-in, a page-out), by kind, or by node. Some of them are
/// zero, and some are equal.
Problem with_prices_apart(Random& random, Problem problem);

}  // namespace poet::test
