#pragma once

#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "schedule/lifetimes.hpp"

namespace poet::plot {

/// One layer of the stacked RAM chart: a tensor, or all the smaller ones of a pass.
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
};

/// The tensors that fill most of the RAM over time get a band of their own, in the order of the
/// network, which puts what lives longest at the bottom; above them, what is left of the forward
/// and of the backward pass, and the workspace of computations if there is any.
Stack make_stack(const Graph& graph, const ScheduleTimeline& timeline);

}  // namespace poet::plot
