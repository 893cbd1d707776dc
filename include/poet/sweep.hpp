#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/problem.hpp"
#include "poet/question.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// A sweep has at most this many points.
inline constexpr int kMaxSweepPoints = 4096;

/// RAM budgets as a user states them: one, or `count` at equal distances from `first` to `last`.
struct RamRange {
  RamBudget first;
  std::optional<RamBudget> last;  ///< absent if there is only `first`; never `min`
  int count = 1;
};

/// Lists for the grid, elements separated by commas. All throw InputError for an empty list or
/// element, a reversed range, a range of fewer than two budgets, and more than kMaxSweepPoints.
/// `25%..100%:16`, `256KiB..2MiB:12`, `min..chip:16`, and budgets as in parse_ram_budget.
std::vector<RamRange> parse_ram_ranges(std::string_view text);
/// `1.5..3:4`, `1.5x..3x:4`, `10s..20s:3`, and budgets as in parse_runtime_budget. An element twice
/// is an error.
std::vector<RuntimeBudget> parse_runtime_budgets(std::string_view text);
/// Of `both`, `remat`, `paging`, `none`, each at most once.
std::vector<TechniqueSet> parse_technique_sets(std::string_view text);
/// Names of models or platforms, each at most once.
std::vector<std::string> parse_names(std::string_view text);

/// `3x` or `12.5s`.
std::string runtime_budget_name(const RuntimeBudget& budget);

/// Whether a list of RAM budgets contains `min`.
bool needs_smallest_ram(const std::vector<RamRange>& ram);

/// What a sweep covers: every subject with every budget and set of techniques.
struct SweepGrid {
  std::vector<Subject> subjects;
  std::vector<RamRange> ram;
  std::vector<RuntimeBudget> runtime;
  std::vector<TechniqueSet> techniques;
};

/// One problem of a sweep.
struct SweepPoint {
  int subject = 0;
  RuntimeBudget runtime;  ///< as stated
  Limits limits;          ///< the budgets in absolute terms
};

/// The points in the order of the grid: by subject, techniques, runtime budget, RAM budget, each as
/// listed. `smallest_ram` has the meaning of `min` by subject; a range that starts there has fewer
/// budgets if some would coincide. Throws InputError for a budget that is there twice, a range
/// reversed for one of the subjects, and too many points.
std::vector<SweepPoint> sweep_points(const SweepGrid& grid, const std::vector<Bytes>& smallest_ram);

/// Throws what sweep_points() would throw for every value of `min`.
void check_sweep(const SweepGrid& grid);

/// What became of one point.
struct SweepOutcome {
  enum class Origin {
    solved,   ///< by a solve of its own
    verdict,  ///< known without a solver: the baseline fits, or the working set does not
    reused,   ///< another point's schedule, or its proof of infeasibility
  };
  SolveResult result;
  /// What the schedule and the bound of `result` are about; empty: its subject's own order.
  NodeOrder order{};
  /// Likewise, if a search chose copies; and the energy of the best schedule found without.
  Copies copies{};
  std::optional<Joules> uncopied_energy_joules{};
  /// With OrderKind::search, of the best schedule found in the given order, and what is proven of
  /// that order alone if it is infeasible and others may not be.
  std::optional<Joules> given_order_energy_joules{};
  std::optional<Status> given_order{};
  Origin origin = Origin::solved;
  int origin_point = -1;  ///< of a reused result
  std::string failure;    ///< not empty: its process crashed, and how; `result` is void
  Seconds wall_seconds = 0;
};

/// `optimal`, `feasible`, `infeasible`, `unknown` or `failed`.
std::string_view outcome_name(const SweepOutcome& outcome);

/// The outcomes of a sweep by point; some are missing if it was interrupted.
using SweepOutcomes = std::vector<std::optional<SweepOutcome>>;

/// A lower bound on the energy of all schedules in one order of the nodes, with one set of copies.
struct OrderBound {
  Joules joules = 0;
  std::string order_sha256{};  ///< Subject::order_sha256() of that graph
};

/// How a sweep is run.
struct SweepOptions {
  SolveOptions solve;  ///< of each point; its time limit counts per point
  int jobs = 1;        ///< points solved at the same time, each in a process of its own
  /// Schedules known beforehand, by subject: starts for all points that they fit.
  std::vector<std::vector<OrderedSchedule>> starts;
  std::vector<OrderBound> bounds;          ///< proven beforehand, by point; may be empty
  std::function<void(int point)> started;  ///< its solve begins
  std::function<void(int point, const Progress&)> progress;              ///< of its solve
  std::function<void(int point, const SweepOutcome& outcome)> finished;  ///< at once, each once
  std::function<bool()> interrupted;  ///< polled; true ends the sweep with what is finished
};

/// Solves the points, from loose limits to tight ones, so that each profits from the looser ones:
/// an optimum that fits the tighter limits is their optimum too, and a bound holds for them as
/// well. A point waits for the looser ones, so that its result does not depend on `jobs` or on the
/// order of finishing. Points that have an outcome already are not solved again; their schedules
/// are replayed, and InputError is thrown for one that is not valid. True when every point is
/// finished, false when the sweep was interrupted.
///
/// With OrderKind::search every point has an order of its own, and begins with the order of a point
/// that allows as much. A bound is about one order and goes to points in the same one; `infeasible`
/// is about all of them. A search over copies gives every point a set of its own, with the same
/// rules.
bool run_sweep(const SweepGrid& grid, const std::vector<SweepPoint>& points,
               const SweepOptions& options, SweepOutcomes& outcomes);

/// Gives tighter points the bounds and looser ones the schedules of other points if those are
/// better, so that energy never rises as limits loosen. Schedules take their order with them, and
/// bounds go to points in the same order only. `gap` is the gap of the solves, and `order` says
/// what `infeasible` is about: with OrderKind::search all orders, else the subject's own; and
/// `copies` likewise. Throws
/// InternalError, naming both points, if one is proven infeasible and another's schedule, or the
/// baseline, fits its limits, or if a schedule needs less than a bound that is proven for it.
void share_results(const SweepGrid& grid, const std::vector<SweepPoint>& points, double gap,
                   SweepOutcomes& outcomes, OrderKind order = OrderKind::given,
                   CopyChoice copies = CopyChoice::none);

}  // namespace poet
