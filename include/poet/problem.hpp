#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// What the time of transfers counts for.
enum class PagingTime {
  free,      ///< nothing, as in POET
  blocking,  ///< computing waits for transfers: their times add up
  /// Transfers run beside computing (DMA) on one channel: a stage takes the longer of the two. What
  /// is written out stays in RAM for the whole stage, and so does what is read back.
  overlapped
};

/// The techniques that a schedule may use: POET's ablation.
struct TechniqueSet {
  bool paging = true;  ///< whether paging is allowed
  bool remat = true;   ///< whether recomputation is allowed

  bool operator==(const TechniqueSet&) const = default;
};

inline constexpr TechniqueSet kBothTechniques{};
inline constexpr TechniqueSet kOnlyRemat{.paging = false};
inline constexpr TechniqueSet kOnlyPaging{.remat = false};
inline constexpr TechniqueSet kNoTechnique{.paging = false, .remat = false};

/// `both`, `remat`, `paging` or `none`.
std::string_view technique_set_name(const TechniqueSet& set);

/// The budgets for secondary storage; without one, everything fits. A larger one allows all that a
/// smaller one does.
struct StorageBudgets {
  std::optional<Bytes> storage_budget_bytes{};   ///< most bytes of copies in it
  std::optional<Bytes> page_out_budget_bytes{};  ///< most bytes written to it in one step

  bool operator==(const StorageBudgets&) const = default;
};

/// What a schedule is checked against.
struct Limits {
  Bytes ram_budget_bytes = 0;          ///< most RAM held at any time
  Seconds runtime_budget_seconds = 0;  ///< most time of the step; `paging_time` says what counts
  TechniqueSet techniques{};
  PagingTime paging_time = PagingTime::free;
  StorageBudgets storage{};

  bool operator==(const Limits&) const = default;
};

/// The most bytes that a schedule may write to secondary storage; kMaxBytes without a limit. No
/// tensor that has a copy is written again, so what is written is what is stored, and the smaller
/// budget decides.
inline Bytes write_budget(const Limits& limits) {
  return std::min(limits.storage.storage_budget_bytes.value_or(kMaxBytes),
                  limits.storage.page_out_budget_bytes.value_or(kMaxBytes));
}

/// A runtime fits the budget if it is at most (1 + kRuntimeSlack) times the budget: it is a sum of
/// doubles, and whoever adds them up in another order must not come to another verdict. Part of
/// rule 6 of docs/schedule-format.md; everything that compares runtimes uses this constant. RAM
/// needs no slack, as bytes are whole.
inline constexpr double kRuntimeSlack = 1e-9;

/// The question: a graph with costs, and the budgets and techniques that a schedule has to keep to.
struct Problem {
  Graph graph;
  Limits limits;
};

/// The schedule that computes every node once, keeps every output until its last use and pages
/// nothing. No schedule takes less energy or time.
struct Baseline {
  Schedule schedule;
  Joules energy_joules = 0;
  Seconds runtime_seconds = 0;
  Bytes peak_ram_bytes = 0;
};

/// Returns the baseline of a graph ("checkpoint all" in Checkmate, Jain et al., MLSys 2020).
Baseline baseline(const Graph& graph);

/// The most RAM that one computation needs at once.
struct WorkingSet {
  Bytes bytes = 0;
  int node = 0;  ///< the node whose computation needs it; the first of several
};

/// Returns the working set of a graph, in bytes: no schedule needs less RAM, however much it
/// recomputes or pages.
WorkingSet working_set(const Graph& graph);

/// A share of some reference quantity; 1.0 is all of it.
struct Ratio {
  double value = 1.0;
};

/// A RAM budget by its name.
enum class NamedRam {
  smallest,  ///< `min`: the smallest that has a schedule, which only a search finds
  chip       ///< `chip`: what the platform has
};

/// A RAM budget as a user states it: bytes, a share of the baseline's peak RAM, or a name.
using RamBudget = std::variant<Bytes, Ratio, NamedRam>;

/// What the names stand for; absent if that is not known.
struct NamedRamBytes {
  std::optional<Bytes> smallest;
  std::optional<Bytes> chip;
};

/// A runtime budget as a user states it: a multiple of the baseline's runtime (POET's meaning), or
/// seconds.
using RuntimeBudget = std::variant<Ratio, Seconds>;

/// Parses a size as parse_bytes does. Throws InputError.
Bytes parse_size(std::string_view text);

/// Parses a size as parse_bytes does, `60%` or `0.6` of the baseline's peak RAM, `min` or `chip`.
/// A plain number is a share if it is below 1, else bytes. Rounds down: a budget never grows.
/// Throws InputError unless the size is from 1 byte to 2^53, or the share above 0.
RamBudget parse_ram_budget(std::string_view text);

/// Parses a multiple such as `1.5` or `1.5x`, or a time as parse_seconds does. Throws InputError
/// unless the time is above 0, or the multiple at least 1: below 1, not even one pass would fit.
RuntimeBudget parse_runtime_budget(std::string_view text);

/// Whether the budget is `min`.
bool is_smallest(const RamBudget& budget);

/// Returns a budget in absolute terms, in bytes or seconds. Throws InputError if it comes to less
/// than one byte, to more than 2^53 bytes, or to more seconds than a double holds, and for a name
/// that stands for nothing here.
Bytes resolve(const RamBudget& budget, const Baseline& base, const NamedRamBytes& named = {});
Seconds resolve(const RuntimeBudget& budget, const Baseline& base);

/// The digest of a graph as a problem: the times of transfers are part of it unless they are free.
inline std::string graph_sha256(const Graph& graph, PagingTime paging_time) {
  return graph_sha256(graph, paging_time != PagingTime::free);
}

/// What is known of a problem without a solver.
struct Verdict {
  enum class Kind {
    open,       ///< only a solver knows
    optimal,    ///< the baseline fits, so it is the optimum
    infeasible  ///< proven: no schedule exists
  };
  Kind kind = Kind::open;
  std::string reason;                       ///< one sentence for a message; empty if open
  std::optional<Bytes> smallest_ram_bytes;  ///< lower bound on any workable RAM budget
  bool smallest_ram_is_exact = false;       ///< whether that budget itself works
  std::optional<int> node{};                ///< that decides: it alone needs more than the budget
};

/// Compares the budgets with the baseline and the working set; see docs/formulation.md, "Before any
/// model". `base` must be the baseline of the problem's graph.
Verdict instant_verdict(const Problem& problem, const Baseline& base);

}  // namespace poet
