#pragma once

#include <vector>

#include "poet/order.hpp"

namespace poet {

/// The order in which each node that frees more than it makes comes as early as is legal, and all
/// others keep their relative order.
NodeOrder freeing_order(const Graph& graph, const Precedence& precedence);

/// Orders other than the given one with which a search may begin: of early updates, of early
/// freeing, and of both. Each needs no more RAM than the given one if everything is kept; the one
/// that needs least comes first.
std::vector<NodeOrder> start_orders(const Graph& graph, const Precedence& precedence);

}  // namespace poet
