#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "poet/order.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"
#include "solver/search/greedy.hpp"

namespace poet {

struct OrderSearchOptions {
  std::uint32_t seed = 1;
  /// An order and a valid schedule in it, if any is known; an empty order is the given one. An
  /// order whose schedule is not valid here, as one for another budget, is tried first.
  NodeOrder start_order{};
  std::optional<Schedule> start{};
  /// Of the moves that are usual for a graph of this size. The number of moves alone decides what
  /// is found, so a seed gives one answer; the two below only end the search early.
  double effort = 1;
  Stop stop = [] { return false; };
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  /// Each better schedule, its order and its energy.
  std::function<void(const NodeOrder&, const Schedule&, Joules)> improved{};
};

/// The best that a search over orders has found.
struct FoundOrder {
  NodeOrder order;                              ///< legal; empty: the given one
  std::optional<Schedule> schedule{};           ///< replayed and valid in `order`, if any was found
  Joules energy_joules = 0;                     ///< of the schedule
  std::optional<Joules> given_energy_joules{};  ///< of the best schedule found in the given order
};

/// Looks for an order of the nodes in which the problem has a schedule of little energy. `problem`
/// is in the given order; `precedence` is what its model asks of an order beside the edges.
FoundOrder search_order(const Problem& problem, const Precedence& precedence,
                        const OrderSearchOptions& options);

}  // namespace poet
