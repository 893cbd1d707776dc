#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "solver/search/threshold_search.hpp"

namespace poet {

/// What energies and bytes typically are, for thresholds and prices.
struct SearchScales {
  double energy = 0;  ///< of what one node costs to get back, in units
  double price = 0;   ///< units of energy for a byte
  double time = 0;    ///< units of energy for a unit of time
};

SearchScales scales_of(const WholeCosts& costs);

/// Finds a plan for a low RAM budget by continuation: the budget falls from the peak of the plan
/// at hand in steps of about a per cent, and in each step short searches around the computations
/// that are over it repair the plan of the step before. It finds plans for budgets at which a
/// search from nothing finds none. Steps must be hot: ten times cooler ones stop at higher budgets.
///
/// Spends at most `moves`, and takes those that it needs off them. Returns a feasible plan, or
/// nothing if moves or time were not enough. The timeline may be left anywhere, with its budget.
std::optional<FoundPlan> tighten(Timeline& timeline, TimelineMoves& moves,
                                 const SearchScales& scales, Random& random,
                                 std::int64_t& moves_left, const std::function<bool()>& stop);

}  // namespace poet
