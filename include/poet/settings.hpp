#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "poet/solver_features.hpp"
#include "poet/units.hpp"

namespace poet {

/// How much work a solve does before it stops.
enum class Effort {
  fast,      ///< a short local search and the root relaxation: a good schedule and a bound
  standard,  ///< until the gap is met or time is up
  proof,     ///< as `standard`; the command line sets a gap of 0 and no time limit with it
};

/// What a schedule has least of. Among schedules that are equal in that, each has the least energy.
enum class Objective {
  energy,   ///< within both budgets
  runtime,  ///< time of all computations, within the RAM budget; the runtime budget is an upper
            ///< limit
  ram,      ///< RAM budget, within the runtime budget; solve() is given what run_min_ram found
};

/// In which order the nodes are computed for the first time. Proofs are about one order.
enum class OrderKind {
  given,   ///< as the model lists them
  search,  ///< one that a search finds
  stated   ///< one that the user states
};

/// Of which mode a search chooses copies (CopyMode). Proofs are about one set of copies.
enum class CopyChoice {
  none,  ///< no search: the model has the copies that a user states, or none
  exact,
  int8
};

/// What a user can set that changes results, besides the problem itself.
struct SolveSettings {
  double gap = 1e-4;                 ///< stop when (energy - bound) / energy is at most this
  double mem_power_scale = 1;        ///< factor on the platform's memory power, for cost_graph()
  Seconds time_limit_seconds = 300;  ///< wall clock of one solve; 0 = none
  int threads = 1;                   ///< processes that share a solve
  std::uint32_t seed = 1;
  Effort effort = Effort::standard;
  SolverFeatures features;
  Objective objective = Objective::energy;
  OrderKind order = OrderKind::given;
  CopyChoice copies = CopyChoice::none;
  /// Of the solver's processes together. A model that needs more is not built, and a process that
  /// asks for more fails, which costs the proof alone. 0 = none.
  Bytes memory_limit_bytes = Bytes{4} << 30;

  bool operator==(const SolveSettings&) const = default;
};

/// What is left of a time limit after `spent` seconds, as a time limit: always above 0, which would
/// be none. No limit stays none.
constexpr Seconds rest_of_limit(Seconds limit, Seconds spent) {
  constexpr Seconds kLeast = 1e-3;
  return limit > 0 ? std::max(limit - spent, kLeast) : limit;
}

/// A number of SolveSettings and its key in files.
template <auto kMember>
struct Setting {
  std::string_view key;
  bool is_new = false;   ///< older files do not have it, and mean the default
  bool is_rare = false;  ///< left out of files if it is the default
};

/// The numbers in the order of files: schedule files and journals state them all.
inline constexpr std::tuple kSettings{
    Setting<&SolveSettings::gap>{"gap"},
    Setting<&SolveSettings::mem_power_scale>{"mem_power_scale"},
    Setting<&SolveSettings::time_limit_seconds>{"time_limit_seconds"},
    Setting<&SolveSettings::threads>{"solve_threads"},
    Setting<&SolveSettings::seed>{"seed"},
    Setting<&SolveSettings::objective>{.key = "objective", .is_new = true},
    Setting<&SolveSettings::order>{.key = "order", .is_new = true},
    Setting<&SolveSettings::copies>{.key = "copies", .is_rare = true}};

}  // namespace poet
