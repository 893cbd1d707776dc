#pragma once

#include <cstdint>

#include "poet/order.hpp"
#include "poet/units.hpp"
#include "solver/search/greedy.hpp"

namespace poet {

/// The peak RAM of computing every node once in an order and keeping every output until its last
/// use: the peak of baseline() for the permuted graph, without making that graph.
Bytes keep_all_peak(const Graph& graph, const NodeOrder& order);

/// An order in which that is small, by a search of as many changes as suit the graph's size; `stop`
/// ends it early. Empty if none is better than the given order.
NodeOrder least_peak_order(const Graph& graph, const Precedence& precedence, std::uint32_t seed,
                           const Stop& stop);

}  // namespace poet
