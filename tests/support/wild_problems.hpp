#pragma once

#include <optional>

#include "poet/problem.hpp"
#include "solver/search/position.hpp"

namespace poet::test {

/// How far numbers go: `moderate` ones are within four orders of magnitude, and small enough that
/// one byte shows; `wild` ones are up to twelve orders apart.
enum class Numbers { moderate, wild };

/// A problem of about `size` nodes (at most one more) meant to be awkward. Forward layers are a
/// chain, a chain with skips, a tree, diamonds, joins of many inputs or any graph; gradients follow
/// in POET's chain, or along every edge, or there are none, or the backward pass is only a mark on
/// some of the nodes. Sizes and costs are all equal, or few, or all different, and often zero.
/// Budgets lie from below what can work to more than is of use, and often just on the edge. Either
/// technique may be forbidden.
Problem wild_problem(Random& random, int size, Numbers numbers);

/// The same problem with sizes times 2^30 and a budget of one byte less than that. Tensors that
/// filled the budget overrun it by less than any tolerance of a solver can see. Nothing if sizes
/// would be too large.
std::optional<Problem> with_a_byte_too_little(const Problem& problem);

}  // namespace poet::test
