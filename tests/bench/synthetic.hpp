#pragma once

#include <cstdint>
#include <string_view>

#include "poet/problem.hpp"

namespace poet::bench {

/// Shapes of forward passes; either gets its backward chain in POET's manner.
enum class Family {
  skips,    ///< a list of layers, some of which also read an earlier one
  layered,  ///< layers of one to five nodes, each of which reads some of the layer before
  /// No training step: a graph in layers, whose nodes read any layers before theirs, most of them
  /// near, some of them far away. Sizes and costs have nothing to do with each other.
  far_reaching,
};

std::string_view family_name(Family family);

/// A training graph of 2 * (nodes / 2) - 1 nodes (or a far-reaching one of exactly `nodes`), with
/// costs as of a convolutional network on a microcontroller: one node in three is expensive, and
/// large tensors come first. The same seed gives the same graph on every machine.
Graph synthetic_graph(Family family, int nodes, std::uint64_t seed);

/// A graph without a backward pass: layers of many nodes, each of which reads the layer before and,
/// with one edge in four, any earlier node. Sizes and costs are of one order of magnitude; energies
/// are in proportion to times, and nothing states what paging costs.
Graph reaching_graph(int nodes, std::uint64_t seed);

/// A RAM budget this share of the way from the working set, below which nothing is possible, to
/// the baseline's peak, from which on nothing has to be done.
Bytes budget_between(const Graph& graph, double share);

}  // namespace poet::bench
