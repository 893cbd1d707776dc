#pragma once

#include <vector>

#include "poet/order.hpp"

namespace poet {

/// A legal order with each update of parameters, and what only it needs, as early as is legal. All
/// other nodes keep their relative order.
NodeOrder with_early_updates(const Graph& graph, const Precedence& precedence,
                             const NodeOrder& order);

/// Likewise with each node that frees more than it makes.
NodeOrder with_early_freeing(const Graph& graph, const Precedence& precedence,
                             const NodeOrder& order);

/// Orders other than the given one with which a search may begin: of early updates, of early
/// freeing, and of both. Each needs no more RAM than the given one if everything is kept; the one
/// that needs least comes first.
std::vector<NodeOrder> start_orders(const Graph& graph, const Precedence& precedence);

}  // namespace poet
