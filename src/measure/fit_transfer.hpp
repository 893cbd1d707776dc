#pragma once

#include <span>

#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"

namespace poet {

/// One direction of paging, as a graph or measured times have it.
enum class Direction { in, out };

/// Latency and throughput that minimise the sum of squared relative errors of
/// `latency + bytes / throughput` over the times, with a latency of at least 0 (Lawson and Hanson,
/// 1974: of two variables, the one that would be negative is 0). One size cannot tell the two
/// apart: then `usual` is scaled until it fits. Times of 0 are not used. Throws InputError if none
/// is left.
Transfer fit_transfer(std::span<const TransferTime> times, const Transfer& usual);

/// The transfers of a graph's nodes as its platform predicted them, with their mean power.
Transfer predicted_transfer(const Graph& graph, Direction direction);

/// What a transfer takes.
Seconds seconds_of(const Transfer& transfer, Bytes bytes);

}  // namespace poet
