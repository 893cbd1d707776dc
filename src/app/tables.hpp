#pragma once

#include "poet/graph.hpp"
#include "poet/model.hpp"

namespace poet::cli {

/// One line per node on stderr: operation, shape, parameters, FLOPs, bytes, inputs.
void print_graph_info(const Model& model, const Graph& graph);

/// One line per node on stderr: time and energy of a computation, energy of paging.
void print_power_costs(const Graph& graph);

}  // namespace poet::cli
