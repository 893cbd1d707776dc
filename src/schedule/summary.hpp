#pragma once

#include "poet/graph.hpp"
#include "poet/report.hpp"
#include "poet/simulate.hpp"
#include "poet/units.hpp"

namespace poet {

/// Replays the schedule that computes every node once and keeps every output until its last use,
/// without budgets: what the figures of other schedules are compared with.
Replay replay_baseline(const Graph& graph);

/// The figures of a schedule of `graph` from its replay.
Summary summarise(const Graph& graph, const Replay& replay, Bytes ram_budget_bytes,
                  Joules lower_bound_joules);

/// Calls visit("key", &Summary::member) for every figure, in the order of the schedule file.
template <typename Visit>
void visit_summary(Visit&& visit) {
  visit("energy_joules", &Summary::energy_joules);
  visit("compute_energy_joules", &Summary::compute_energy_joules);
  visit("page_in_energy_joules", &Summary::page_in_energy_joules);
  visit("page_out_energy_joules", &Summary::page_out_energy_joules);
  visit("baseline_energy_joules", &Summary::baseline_energy_joules);
  visit("energy_overhead", &Summary::energy_overhead);
  visit("lower_bound_joules", &Summary::lower_bound_joules);
  visit("gap", &Summary::gap);
  visit("runtime_seconds", &Summary::runtime_seconds);
  visit("runtime_ratio", &Summary::runtime_ratio);
  visit("paging_seconds", &Summary::paging_seconds);
  visit("peak_ram_bytes", &Summary::peak_ram_bytes);
  visit("ram_budget_bytes", &Summary::ram_budget_bytes);
  visit("baseline_peak_ram_bytes", &Summary::baseline_peak_ram_bytes);
  visit("recompute_count", &Summary::recompute_count);
  visit("page_out_count", &Summary::page_out_count);
  visit("page_in_count", &Summary::page_in_count);
  visit("page_out_bytes", &Summary::page_out_bytes);
  visit("page_in_bytes", &Summary::page_in_bytes);
}

}  // namespace poet
