#include "app/terminal/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace poet::cli {
namespace {

std::string costs(const NodeFigures& node) {
  if (!node.runtime_seconds || !node.energy_joules) return {};
  return fmt::format("{:>13.6g} {:>13.6g}  ", *node.runtime_seconds, *node.energy_joules);
}

std::string shape_text(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

/// The inputs of a node, those that it reads as views with the shape in which it does.
std::string inputs_of(const NodeFigures& node) {
  std::string text;
  for (const int input : node.inputs) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", input);
    for (const Operand& view : node.views) {
      if (view.node == input) text += fmt::format(" (as {})", shape_text(view.shape));
    }
  }
  return text;
}

}  // namespace

std::string node_table(const std::vector<NodeFigures>& nodes, bool with_costs) {
  const std::string costs_heading =
      with_costs ? fmt::format("{:>13} {:>13}  ", "runtime s", "energy J") : std::string();
  std::string text =
      fmt::format("{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}{}\n", "node", "name", "op",
                  "shape", "parameters", "flop", "bytes", costs_heading, "inputs");
  for (const NodeFigures& node : nodes) {
    text += fmt::format("{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}{}\n", node.node,
                        node.name, node.op, shape_text(node.shape), node.parameter_count, node.flop,
                        node.bytes, with_costs ? costs(node) : std::string(), inputs_of(node));
  }
  return text;
}

std::string power_table(const Graph& graph, bool with_paging_times) {
  const auto times = [&](Seconds in, Seconds out) {
    return with_paging_times ? fmt::format(" {:>13.6g} {:>13.6g}", in, out) : std::string();
  };
  std::string text = fmt::format(
      "{:>5} {:<24} {:>13} {:>13} {:>13} {:>13}{}\n", "node", "name", "runtime s", "energy J",
      "page-in J", "page-out J",
      with_paging_times ? fmt::format(" {:>13} {:>13}", "page-in s", "page-out s") : std::string());
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    text += fmt::format("{:>5} {:<24} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}{}\n", i, node.name,
                        node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
                        node.page_out_energy_joules,
                        times(node.page_in_seconds, node.page_out_seconds));
  }
  return text;
}

}  // namespace poet::cli
