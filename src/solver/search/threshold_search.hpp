#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solver/search/random.hpp"
#include "solver/search/timeline.hpp"
#include "solver/search/timeline_moves.hpp"

namespace poet {

/// A plan as the entries of its timeline: some fifty pairs.
struct FoundPlan {
  std::vector<Entry> entries;
  Units energy = 0;
  Bytes violation = 0;
};

struct ThresholdSettings {
  std::int64_t moves = 0;
  double hot = 0;    ///< mean threshold at the first move, in units of energy
  double cold = 0;   ///< and at the last one
  double price = 0;  ///< units of energy for a byte of violation, to begin with
  /// Whether the price is steered, and the least energy is sought. If not, any plan without
  /// violation ends the search.
  bool steer = true;
  double least_price = 0;
  double largest_price = 0;
};

struct ThresholdResult {
  std::optional<FoundPlan> best;  ///< feasible, of least energy
  FoundPlan nearest;              ///< of least violation
  double price = 0;               ///< at the end
  std::int64_t moves = 0;
};

/// Simulated annealing as threshold acceptance: a move is taken if the cost, energy plus price
/// times violation, rises by no more than a threshold, which is drawn before the move (as
/// -T log u, which is Metropolis' rule). So most moves are refused by their energy alone.
///
/// The best plans fill the RAM exactly, so violation is priced and not forbidden. The price is
/// steered to a share of feasible states. Time over the budget is forbidden: no move may add to it.
///
/// Changes the timeline, within the window of `moves`. `stop` is polled now and then.
ThresholdResult search_by_threshold(Timeline& timeline, TimelineMoves& moves,
                                    const ThresholdSettings& settings, Random& random,
                                    const std::function<bool()>& stop);

}  // namespace poet
