#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "solver/copies/copy_choices.hpp"
#include "solver/search/greedy.hpp"

namespace poet {

struct CopySearchOptions {
  std::uint32_t seed = 1;
  /// A set and a schedule for it, if any is known; an empty set is none. A set whose schedule is
  /// not valid here, as one for another budget, is tried all the same.
  CopySet start_set{};
  std::optional<Schedule> start{};
  /// As in OrderSearchOptions; likewise below.
  double effort = 1;
  Stop stop = [] { return false; };
  Seconds seconds = std::numeric_limits<Seconds>::infinity();
  /// The energy of each better schedule.
  std::function<void(Joules)> improved{};
};

/// The best that a search over sets of copies has found.
struct FoundCopies {
  CopySet set;
  std::optional<Schedule> schedule{};  ///< replayed and valid for the set, if any was found
  Joules energy_joules = 0;            ///< of the schedule
  /// Of the best schedule found without copies, and of the best with all of them.
  std::optional<Joules> without_joules{};
  std::optional<Joules> all_joules{};
};

/// Looks for a set of copies with which the problem has a schedule of little energy. It proves
/// nothing about sets.
FoundCopies search_copies(const CopyChoices& choices, const CopySearchOptions& options);

}  // namespace poet
