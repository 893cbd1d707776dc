#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "poet/graph.hpp"

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

/// The graph as a model file of measured nodes: numbers that are read back with the same bits.
std::string model_file(const Graph& graph, const std::string& name);

}  // namespace poet::bench
