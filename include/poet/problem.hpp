#pragma once

#include <optional>
#include <string>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"
#include "poet/units.hpp"

namespace poet {

/// A graph with costs, and the budgets and techniques that a schedule has to keep to.
struct Problem {
  Graph graph;
  Limits limits;
};

/// The schedule that computes every node once and keeps every output until its last use.
struct Baseline {
  Schedule schedule;
  Joules energy_joules = 0;
  Seconds runtime_seconds = 0;
  Bytes peak_ram_bytes = 0;
};

/// The largest set of tensors that one computation needs at once: no schedule gets by with less
/// RAM, whatever it recomputes or pages.
struct WorkingSet {
  Bytes bytes = 0;
  int node = 0;  ///< the node whose inputs and output need it
};

Baseline baseline(const Graph& graph);
WorkingSet working_set(const Graph& graph);

/// A budget in absolute terms. Throws InputError where it comes to less than one byte, to more than
/// 2^53, or to more seconds than a double holds.
Bytes resolve(const RamBudget& budget, const Baseline& base);
Seconds resolve(const RuntimeBudget& budget, const Baseline& base);

/// What is known without a solver: `optimal` where the baseline fits the budget, `infeasible`
/// where the working set or the runtime of a single pass does not fit, or where neither technique
/// is allowed and the baseline does not fit. `reason` is for people.
struct Verdict {
  enum class Kind { open, optimal, infeasible };
  Kind kind = Kind::open;
  std::string reason;
  std::optional<Bytes> smallest_ram_bytes;  ///< lower bound on any workable RAM budget
  bool smallest_ram_is_exact = false;
};
Verdict instant_verdict(const Problem& problem, const Baseline& base);

}  // namespace poet
