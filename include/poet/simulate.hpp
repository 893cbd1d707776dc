#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// The rules of a valid schedule, numbered as in docs/schedule-format.md.
enum class Rule {
  structure,  ///< stages and lists are well formed; nothing forbidden (paging, remat) is used
  inputs,     ///< 1: every input of a computation is in RAM
  residency,  ///< 2: what is resident was resident, computed or paged in before
  page_out,   ///< 3: only what is resident at a stage's start is paged out
  page_in,    ///< 4: only a stored copy of an absent tensor is paged in
  ram,        ///< 5: the RAM held never exceeds the budget
  runtime,    ///< 6: the runtimes of all computations fit the runtime budget
};

/// `structure`, `rule 1 (inputs)`, ...
std::string_view rule_name(Rule rule);

/// What a schedule is held against.
struct Limits {
  Bytes ram_budget_bytes = 0;
  Seconds runtime_budget_seconds = 0;
  bool paging = true;  ///< whether paging is allowed
  bool remat = true;   ///< whether recomputation is allowed
};

/// One broken rule and where.
struct Violation {
  Rule rule = Rule::structure;
  int stage = -1;  ///< -1: the schedule as a whole
  int node = -1;   ///< -1: no single node
  std::string message;
};

/// What a replay found: the figures as executed, and every violation.
struct Replay {
  std::vector<Violation> violations;
  Joules energy_joules = 0;  ///< compute + page-in + page-out
  Joules compute_energy_joules = 0;
  Joules page_in_energy_joules = 0;
  Joules page_out_energy_joules = 0;
  Seconds runtime_seconds = 0;  ///< of all computations
  Seconds paging_seconds = 0;   ///< of all transfers; told, not charged
  Bytes peak_ram_bytes = 0;
  std::vector<Bytes> stage_peak_ram_bytes;  ///< by stage
  int recompute_count = 0;
  int page_out_count = 0;
  int page_in_count = 0;
  Bytes page_out_bytes = 0;
  Bytes page_in_bytes = 0;

  bool valid() const { return violations.empty(); }
};

/// Replays a schedule against the seven rules, in exact integer arithmetic for RAM. Knows
/// nothing of how the schedule was made: this is the check that every result has to pass.
/// The runtime is compared with a relative slack of 1e-9 for the order of summation.
/// Never throws for a bad schedule: it reports.
Replay simulate(const Graph& graph, const Schedule& schedule, const Limits& limits);

/// RAM held at each computation: the course of memory over one training step.
struct RamSample {
  int stage = 0;
  int node = 0;  ///< the node being computed
  Bytes ram_bytes = 0;
};

/// One sample per computation, in order of execution. Throws InputError for a schedule that
/// names a node outside the graph.
std::vector<RamSample> ram_timeline(const Graph& graph, const Schedule& schedule);

}  // namespace poet
