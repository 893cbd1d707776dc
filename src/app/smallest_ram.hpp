#pragma once

#include <optional>

#include "app/load_problem.hpp"
#include "app/options.hpp"
#include "poet/problem.hpp"

namespace poet::cli {

/// What the RAM budget `min` comes to for a single solve.
struct SmallestRam {
  Bytes bytes = 0;
  std::optional<Schedule> schedule;  ///< of that size; absent if no RAM budget has one
  Bytes lower_bound_bytes = 0;       ///< proven
  bool interrupted = false;          ///< a signal ended the search
  Seconds wall_seconds = 0;          ///< of the search
};

/// Finds the smallest RAM budget that has a schedule within the limits, whose own RAM budget has no
/// meaning, as `sweep --min-ram` does, in at most half of the time limit. If a signal ends the
/// search, it is the best so far with the objective `ram`, and otherwise nothing. Throws
/// InternalError if its process crashes.
std::optional<SmallestRam> find_smallest_ram(const Options& options, const Inputs& inputs,
                                             const Problem& problem, const RuntimeBudget& runtime);

}  // namespace poet::cli
