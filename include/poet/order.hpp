#pragma once

#include <utility>
#include <vector>

#include "poet/graph.hpp"

namespace poet {

/// An order of a graph's nodes: by place, the node's index in the list of its model. Empty stands
/// for the given order, the one of that list.
using NodeOrder = std::vector<int>;

/// Pairs of nodes of which the first comes before the second in every legal order, beside the
/// edges.
using Precedence = std::vector<std::pair<int, int>>;

/// What a graph's lists of parameters ask of an order: per parameter, all reads before the first
/// write, and writes as they are listed. docs/order.md says why this and the edges suffice.
Precedence precedence(const Graph& graph);

/// Whether an order has every node once, after its inputs and after the nodes that must precede it.
bool is_legal(const Graph& graph, const Precedence& precedence, const NodeOrder& order);

/// Throws InputError for an order that is not legal, naming the nodes.
void check_order(const Graph& graph, const Precedence& precedence, const NodeOrder& order);

/// By node, its place in an order.
std::vector<int> places_of(const NodeOrder& order);

/// The order that puts a permuted list back. Throws InputError for a list that is no order: not
/// each index once.
NodeOrder inverse(const NodeOrder& order);

/// The same nodes in another order, which must be legal. Which input a node takes over is chosen
/// anew among Node::in_place_choices: the first that no later node reads, else the first.
Graph permuted(const Graph& graph, const NodeOrder& order);

}  // namespace poet
