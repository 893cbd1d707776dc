#pragma once

#include <functional>
#include <optional>

#include "solver/search/plan.hpp"
#include "solver/search/random.hpp"

namespace poet {

/// Scales that turn RAM and time over budget into joules, and set the temperature.
struct AnnealScales {
  Joules temperature = 0;        ///< typical cost of one changed gap
  Joules joules_per_byte = 0;    ///< price of violation that buying RAM has been seen to cost
  Joules joules_per_second = 0;  ///< price of overtime
};

/// Where moves are drawn: stages [first_stage, last_stage] and nodes [first_node, last_node].
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

/// Simulated annealing over gap moves. A move changes the mode of one gap, often together with
/// gaps of up to four neighbouring tensors around the same stage. The objective is energy plus
/// priced violations, whose price adapts to hold a share of feasible states. Changes `plan`;
/// returns the best feasible plan seen, if any was. `stop` is polled now and then.
std::optional<Plan> anneal(Plan& plan, const AnnealSettings& settings, const AnnealScales& scales,
                           Random& random, const std::function<bool()>& stop);

}  // namespace poet
