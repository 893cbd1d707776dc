#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/graph.hpp"
#include "poet/problem.hpp"
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
  runtime,    ///< 6: the time of the step fits the runtime budget
  once,       ///< 8: what may be computed only once, or not paged, is not
  storage,    ///< 9: the copies, and what is written, fit the budgets of secondary storage
};

/// Returns the name of a rule for messages: `structure`, `rule 1 (inputs)`, ...
std::string_view rule_name(Rule rule);

/// One broken rule, and where it is broken.
struct Violation {
  Rule rule = Rule::structure;
  int stage = -1;       ///< -1: the schedule as a whole
  int node = -1;        ///< -1: no single node
  std::string message;  ///< headed by the stage, if there is one
};

/// What a replay found: the figures as executed, and the violations. With violations, the figures
/// sum the entries that can be executed.
struct Replay {
  std::vector<Violation> violations;
  Joules energy_joules = 0;  ///< compute + page-in + page-out
  Joules compute_energy_joules = 0;
  Joules page_in_energy_joules = 0;
  Joules page_out_energy_joules = 0;
  Seconds runtime_seconds = 0;  ///< of the step, as Limits::paging_time counts it
  Seconds compute_seconds = 0;  ///< of all computations
  Seconds paging_seconds = 0;   ///< of all transfers
  Bytes peak_ram_bytes = 0;
  std::vector<Bytes> stage_peak_ram_bytes;  ///< by stage
  int recompute_count = 0;
  int page_out_count = 0;
  int page_in_count = 0;
  Bytes page_out_bytes = 0;
  Bytes page_in_bytes = 0;
  Bytes storage_bytes = 0;  ///< of all copies in secondary storage, in whole blocks
  Bytes written_bytes = 0;  ///< to secondary storage, in whole blocks

  bool valid() const { return violations.empty(); }
};

/// Replays a schedule against the rules of docs/schedule-format.md: the frontier-advancing stages
/// of Checkmate (Jain et al., MLSys 2020, section 4) with the paging of POET (ICML 2022). RAM is
/// counted in whole bytes; the runtime has a relative slack of kRuntimeSlack. It knows nothing
/// about how the schedule was made: this is the check that every result has to pass. Never throws
/// for a bad schedule; it reports all violations, up to a thousand.
Replay simulate(const Graph& graph, const Schedule& schedule, const Limits& limits);

/// simulate(), or nothing if `stop`, which is asked before each stage, returns true: the lists of
/// 20,000 stages take seconds.
std::optional<Replay> simulate_until(const Graph& graph, const Schedule& schedule,
                                     const Limits& limits, const std::function<bool()>& stop);

/// Rule 6 as simulate() applies it, with the slack of kRuntimeSlack.
bool within_runtime_budget(Seconds runtime, Seconds budget);

/// The RAM held during one computation, in bytes.
struct RamSample {
  int stage = 0;
  int node = 0;  ///< the node being computed
  Bytes ram_bytes = 0;
};

/// Returns the course of RAM over one training step: one sample per computation, in order of
/// execution. Throws InputError for a schedule that names a node outside the graph.
std::vector<RamSample> ram_timeline(const Graph& graph, const Schedule& schedule,
                                    PagingTime paging_time = PagingTime::free);

/// Returns the schedule as the list of instructions that a device runs, stage by stage: page-outs,
/// computations each followed by the frees that it allows, frees at the stage's end, page-ins. An
/// input whose RAM a computation takes over (`over`) is not freed besides. If transfers overlap
/// with computations, page-ins come right after the page-outs, and what is written out goes at the
/// end of the stage at the earliest: both have their RAM for the whole stage. Throws InputError for
/// a schedule that names a node outside the graph.
std::vector<Instruction> to_program(const Graph& graph, const Schedule& schedule,
                                    PagingTime paging_time = PagingTime::free);

}  // namespace poet
