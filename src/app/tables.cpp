#include "app/tables.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace poet::cli {

void print_graph_info(const Model& model, const Graph& graph) {
  fmt::print(stderr, "{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}\n", "node", "name", "op",
             "shape", "parameters", "flop", "bytes", "inputs");
  for (int i = 0; i < graph.size(); ++i) {
    const ModelNode& node = model.nodes[i];
    fmt::print(stderr, "{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}\n", i, node.name,
               node.op, fmt::format("{}", fmt::join(node.out_shape, "x")), node.parameter_count,
               node.flop, graph.nodes[i].bytes, fmt::join(graph.nodes[i].inputs, " "));
  }
}

void print_power_costs(const Graph& graph) {
  fmt::print(stderr, "{:>5} {:<24} {:>13} {:>13} {:>13} {:>13}\n", "node", "name", "runtime s",
             "energy J", "page-in J", "page-out J");
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    fmt::print(stderr, "{:>5} {:<24} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}\n", i, node.name,
               node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
               node.page_out_energy_joules);
  }
}

}  // namespace poet::cli
