#pragma once

#include <span>

#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
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

/// A measured step, and what it is a step of.
struct MeasuredStep {
  const Model& model;  ///< of layers, with FLOPs
  const Graph& graph;  ///< with the costs that a platform predicted
  const StepTimes& times;
  Transfer page_in;   ///< fitted, with a power
  Transfer page_out;  ///< likewise
};

/// The platform that fits measured times best, within what a platform file can say:
///
///   rate of an op = FLOPs of its nodes / their seconds, so that the time of all its nodes together
///                   is exact; least squares with the weight 1 / FLOPs
///   RAM bandwidth = bytes / seconds of the nodes without FLOPs, but no less than any other node
///                   needs: the time to move bytes is a lower limit of each computation
///   FLOP/J        = rate / power, with the power of `measured.graph`
///
/// What was not measured (sizes, wear, where parameters are) is taken from `base`. Throws
/// InputError if no node took any time.
Platform fit_platform(const MeasuredStep& measured, const Platform& base);

}  // namespace poet
