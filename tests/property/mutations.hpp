#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "poet/simulate.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// Which rule a corrupted schedule must be found to break, and where (-1: as a whole).
struct Expected {
  Rule rule = Rule::structure;
  int stage = -1;
};

/// One way to corrupt a valid schedule, built so that the result cannot be valid by luck.
struct Mutation {
  std::string_view name;
  /// Corrupts the case; nothing where the schedule offers no occasion, e.g. has no transfers.
  std::optional<Expected> (*apply)(Random&, Case&);
  /// Whether the independent checker looks for this kind of mistake.
  bool known_to_checker = true;
  Case (*draw_case)(Random&) = random_case;
};

std::span<const Mutation> mutations();

/// Those of the rules that only graphs beyond POET's have.
std::span<const Mutation> exact_mutations();

/// A corrupted case, and what must be found in it.
struct Corrupted {
  Case made;
  Expected expected;
};

/// Draws cases until one offers an occasion for the mutation; nothing where none of many does.
std::optional<Corrupted> corrupt(Random& random, const Mutation& mutation);

}  // namespace poet::test
