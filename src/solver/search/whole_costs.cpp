#include "solver/search/whole_costs.hpp"

#include <algorithm>
#include <cmath>

namespace poet {
namespace {

/// No schedule computes or transfers a node more than once in a stage, so the sum over all nodes
/// and stages is a limit for every schedule. It becomes 2^60 units.
double unit_for(double sum_over_nodes, int stages) {
  constexpr double kLeast = 1e-300;
  return std::max(sum_over_nodes * stages * 0x1.0p-60, kLeast);
}

Units to_units(double value, double unit) {
  return static_cast<Units>(std::llround(value / unit));
}

}  // namespace

WholeCosts::WholeCosts(const Problem& task)
    : problem(&task),
      ram_budget(task.limits.ram_budget_bytes),
      write_budget(poet::write_budget(task.limits)),
      paging_time(task.limits.paging_time) {
  const Limits& limits = task.limits;
  Joules energy = 0;
  Seconds once = 0;
  Seconds transfers = 0;
  for (const Node& node : task.graph.nodes) {
    if (limits.techniques.remat) energy += node.energy_joules;
    if (limits.techniques.paging)
      energy += node.page_in_energy_joules + node.page_out_energy_joules;
    once += node.runtime_seconds;
    transfers += node.page_in_seconds + node.page_out_seconds;
  }
  const int stages = task.graph.size();
  joules_per_unit = unit_for(energy, stages);
  seconds_per_unit = unit_for(once + transfers, stages);
  const bool charged = paging_time != PagingTime::free;
  for (int k = 0; k < stages; ++k) {
    const Node& node = task.graph.nodes[k];
    const auto time = [&](Seconds seconds) { return to_units(seconds, seconds_per_unit); };
    const auto cost = [&](Joules joules) { return to_units(joules, joules_per_unit); };
    nodes.push_back(
        {.bytes = node.bytes,
         .workspace = node.workspace_bytes,
         .stored = bytes_in_storage(node),
         .energy = limits.techniques.remat ? cost(node.energy_joules) : 0,
         .page_in_energy = limits.techniques.paging ? cost(node.page_in_energy_joules) : 0,
         .page_out_energy = limits.techniques.paging ? cost(node.page_out_energy_joules) : 0,
         .time = time(node.runtime_seconds),
         .page_in_time = charged ? time(node.page_in_seconds) : 0,
         .page_out_time = charged ? time(node.page_out_seconds) : 0,
         .over = node.in_place.value_or(-1),
         .last_stage = limits.techniques.remat ? task.graph.last_stage[k] : k,
         .page = limits.techniques.paging && node.page});
  }
  const Seconds extra = limits.runtime_budget_seconds * (1 + kRuntimeSlack) - once;
  constexpr double kMost = 0x1.0p62;
  extra_time_budget = static_cast<Units>(std::floor(std::min(extra / seconds_per_unit, kMost)));
}

}  // namespace poet
