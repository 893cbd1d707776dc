#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/settings.hpp"
#include "poet/units.hpp"

namespace poet {

/// What is known about a problem. Only a replayed schedule whose energy meets a proven lower bound
/// within the requested gap is called optimal.
enum class Status {
  optimal,     ///< schedule proven within the gap
  feasible,    ///< schedule found, not proven within the gap
  infeasible,  ///< proven: no schedule exists
  unknown,     ///< a limit was reached, or CBC crashed, before any schedule was found
};

std::string_view status_name(Status status);

/// The state of a long solve, sent to SolveOptions::progress.
struct Progress {
  std::string phase;  ///< `greedy`, `relaxation`, `full model`, ...
  Seconds elapsed_seconds = 0;
  std::int64_t nodes = 0;  ///< nodes of branch and bound in this phase
  Joules incumbent_joules = std::numeric_limits<double>::infinity();
  Joules bound_joules = 0;     ///< proven lower bound
  std::string bound_by{};      ///< the phase that proved it, as in SolveStatistics
  Joules baseline_joules = 0;  ///< of every node computed once
  /// What incumbent and bound measure: joules, or seconds with Objective::runtime.
  Objective objective = Objective::energy;
};

struct SolveOptions {
  SolveSettings settings;
  int small_graph = 40;  ///< up to this many nodes the full model comes first
  /// If the memory rows would have more nonzeros, the rows of recomputations are added only when
  /// they are violated, and a longer search comes first.
  std::int64_t complete_nonzeros = 1'500'000;
  /// A schedule to start from, for example of a smaller budget; used if it replays within the
  /// budgets.
  std::optional<Schedule> start;
  /// Makes a schedule by other means than a search, such as suggest_schedule() does; absent:
  /// nothing does. Asked for the problem once its first search is over, so that no answer is above
  /// what it makes; used if it replays within the budgets.
  std::function<std::optional<Schedule>(const Problem&)> suggest;
  /// A lower bound that the caller has proven, for example for a larger budget; 0 if none.
  Joules known_bound_joules = 0;
  /// Whether a solve that meets the gap goes on, for as much work again at most, until a hundredth
  /// of the extra energy is left open. Not with Effort::fast.
  bool refine = true;
  std::function<void(const Progress&)> progress;  ///< called from the solving thread
  /// Called from the solving thread with each better schedule, at once.
  std::function<void(const Schedule&)> improved;
  std::function<bool()> interrupted;  ///< polled; true ends the solve with the best so far
};

/// Says in place of a phase that the caller knew the bound before the solve.
inline constexpr std::string_view kGivenBound = "given";

/// Figures about the work done. Sizes describe the largest model that was built.
struct SolveStatistics {
  std::string formulation;  ///< `none` if no model was needed
  /// The phase that proved the bound on the energy, by its name in Progress; `baseline` if it is
  /// the baseline's energy, kGivenBound or empty if it was known before the solve.
  std::string bound_by{};
  int rows = 0;
  int columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t nodes = 0;
  Seconds heuristic_seconds = 0;
  Seconds build_seconds = 0;
  Seconds milp_seconds = 0;
  Seconds first_schedule_seconds = 0;
  Seconds wall_seconds = 0;
};

/// Proven for every schedule within the budgets that were asked for: the bound on what the
/// objective names, if that is not the energy.
struct ObjectiveBounds {
  std::optional<Seconds> runtime_lower_bound_seconds;
  std::optional<Bytes> ram_lower_bound_bytes;
};

struct SolveResult {
  Status status = Status::unknown;
  std::optional<Schedule> schedule;         ///< replayed and valid
  Joules energy_joules = 0;                 ///< of the schedule, from the replay
  Joules lower_bound_joules = 0;            ///< proven for every schedule within the budgets
  std::string reason;                       ///< in words: why infeasible, why it stopped
  std::optional<Bytes> smallest_ram_bytes;  ///< when infeasible: no budget below it can work
  bool smallest_ram_is_exact = false;
  std::optional<int>
      node{};              ///< when infeasible: the one that needs `smallest_ram_bytes`, if known
  ObjectiveBounds bounds;  ///< that on RAM is for the caller to fill in
  /// The least time found, if that was the objective: the runtime budget within which the energy is
  /// the least, and for which `lower_bound_joules` is proven.
  std::optional<Seconds> runtime_budget_seconds{};
  bool interrupted = false;
  bool solver_failed = false;  ///< CBC crashed or gave no answer; see `reason`
  SolveStatistics statistics;
};

/// (energy - bound) / energy; 0 for an energy of 0.
double relative_gap(Joules energy, Joules lower_bound);

/// (energy - bound) / (energy - baseline): the share of the extra energy, of what the lack of RAM
/// costs, that is not proven necessary. From 0 to 1, as no schedule has less energy than the
/// baseline; 0 without extra energy.
double relative_extra_gap(Joules energy, Joules lower_bound, Joules baseline);

/// Finds the schedule of least energy within the budgets, and bounds its distance from the optimum.
/// With Objective::runtime, the schedule of least time, and of the fastest the one of least energy.
/// Every schedule that it returns has been replayed by simulate(). Throws InternalError when a
/// replay contradicts the solver.
SolveResult solve(const Problem& problem, const SolveOptions& options = {});

/// Where a problem's graph came from. The comments of an exported model state it, so that an error
/// about another graph can name what differs.
struct ProblemOrigin {
  std::string model;     ///< in words; empty: not known, and nothing is stated
  std::string platform;  ///< in words; empty: none
  std::int64_t batch_size = 1;
  double mem_power_scale = 1;
  /// The digest of the graph in the given order of the nodes, if the problem is in another one.
  std::string given_graph_sha256{};
};

/// Writes the problem's complete MILP for another solver, as `.mps` or `.lp` by the file's
/// ending, names included. The objective, baseline included, is in joules times a power of ten,
/// which the file's first line states. Throws InputError for a path that cannot be written.
void export_milp(const Problem& problem, const std::string& path, const ProblemOrigin& origin = {});

}  // namespace poet
