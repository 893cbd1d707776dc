#pragma once

#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

/// Returns by node what kind of layer it belongs to: the op of a forward node, and for a backward
/// node the op of the layer whose gradient it is, which its name tells: `grad(conv1)`. A backward
/// node with another name has its own op, without the `_grad` that it ends in.
std::vector<std::string> layer_kinds(const Graph& graph);

/// The most tensors that are told apart by colour.
inline constexpr int kMostByTensor = 40;

/// One layer of the stacked RAM chart: a tensor, the tensors of a kind of layer, or all the smaller
/// ones of a pass.
struct Band {
  int node = -1;  ///< -1: a group
  std::string name;
  std::string css_class;
  std::vector<Bytes> bytes;  ///< by column
};

/// RAM over time, split into bands from the bottom up: their sum at a column is what the replay
/// finds there, to the byte.
struct Stack {
  std::vector<Band> bands;
  std::vector<std::string> classes;  ///< by node: the class of the band that it is in
  bool by_kind = false;              ///< whether colours stand for kinds of layers
};

/// Splits the RAM by tensor, as long as they are few. The tensors of either pass that fill most of
/// the RAM over time get a band of their own, in the order of the nodes, which puts what lives
/// longest at the bottom; above them is what is left of the forward and of the backward pass.
///
/// Of more than kMostByTensor tensors, those with a colour would be a small part. There is a band
/// for each kind of layer and pass then. A kind has the same colour in every schedule of a graph,
/// and the same one in both passes; kinds with few bytes have none.
///
/// Above all of these is the workspace of computations if there is any.
Stack make_stack(const Graph& graph, const ScheduleTimeline& timeline);

}  // namespace poet::plot
