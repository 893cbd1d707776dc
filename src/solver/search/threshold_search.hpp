#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "solver/search/position.hpp"
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
  std::int64_t moves = 0;  ///< from hot to cold
  /// That may be made of them. A search that is cut short does not cool down sooner.
  std::int64_t most_moves = std::numeric_limits<std::int64_t>::max();
  double hot = 0;         ///< mean threshold at the first move, in units of energy
  double cold = 0;        ///< and at the last one
  double price = 0;       ///< units of energy for a byte of violation, to begin with
  double time_price = 0;  ///< units of energy for a unit of time over the budget, to begin with
  /// Whether the prices are steered, and the least energy is sought. If not, no move may add to the
  /// time over the budget, and any plan without violation ends the search.
  bool steer = true;
  double least_price = 0;  ///< of a byte
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
/// steered to a share of states without violation. Time over the budget has a price of the same
/// kind: if the budget is tight, a way from one good plan to another leads over states that take
/// too long.
///
/// Changes the timeline, within the window of `moves`. `stop` is polled now and then.
ThresholdResult search_by_threshold(Timeline& timeline, TimelineMoves& moves,
                                    const ThresholdSettings& settings, Random& random,
                                    const std::function<bool()>& stop);

}  // namespace poet
