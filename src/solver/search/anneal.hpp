#pragma once

#include <functional>
#include <optional>

#include "solver/search/plan.hpp"
#include "solver/search/random.hpp"

namespace poet {

/// Scales that turn RAM and time over budget into joules, and that set the temperature.
struct AnnealScales {
  Joules temperature = 0;        ///< typical cost of changing one idle span
  Joules joules_per_byte = 0;    ///< what the greedy descent paid for RAM
  Joules joules_per_second = 0;  ///< price of overtime
};

/// The range of moves: stages [first_stage, last_stage] and nodes [first_node, last_node].
struct AnnealWindow {
  int first_stage = 0;
  int last_stage = 0;
  int first_node = 0;
  int last_node = 0;
};

struct AnnealSettings {
  AnnealWindow window;
  int moves = 0;
  double start = 1.0;  ///< temperature at the first move, in units of the scale
  double end = 0.01;   ///< and at the last one
};

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) over idle spans. Changes `plan`;
/// returns the best feasible plan seen, if there was one. `stop` is polled now and then.
///
/// The obvious move flips one of the schedule's bits, and nearly always breaks it: an input is
/// missing, or a tensor is held for no use. A move here changes what happens to a tensor during one
/// whole idle span (keep, drop, page), and the plan repairs the rest: it closes the computations
/// and trims unused residency. So every state is a schedule. Often the move takes up to four
/// neighbouring tensors with it around the same stage, because chains of layers are worth
/// recomputing only together.
///
/// The best schedules are exactly full, so RAM and time over budget are not forbidden but priced,
/// and the price adapts to hold a share of feasible states: the search crosses the border of the
/// feasible region again and again instead of being stopped by it. The budget is in moves, not in
/// seconds, so that a seed gives the same schedule on any machine. Half a million moves take half a
/// second and end a few per cent above the best known schedule; polishing does the rest
/// (phases/polish.hpp).
std::optional<Plan> anneal(Plan& plan, const AnnealSettings& settings, const AnnealScales& scales,
                           Random& random, const std::function<bool()>& stop);

}  // namespace poet
