#pragma once

#include <optional>
#include <string>

#include "poet/question.hpp"

namespace poet {

/// What came of a search over the orders of a subject's nodes.
struct ChosenSubject {
  Subject subject;                ///< in the order that was found; else in the given one
  std::optional<Schedule> start;  ///< in that order, within the limits
  std::optional<Joules> given_energy_joules;  ///< of the best schedule found in the given order
  Seconds wall_seconds = 0;
  std::string failure;  ///< of the search, which is not over then, in words; else empty
};

/// Searches the orders of a subject in the given order for a schedule of little energy, or of
/// little time with Objective::runtime, within the limits. It takes half of the time limit at most.
ChosenSubject choose_order(const Subject& given, const Limits& limits,
                           const SolveSettings& settings, const AnswerOptions& options);

/// Why no order of the nodes has a schedule within the limits: one computation needs more RAM than
/// there is by itself, or computing every node once takes too long; nothing if neither holds.
std::optional<SolveResult> infeasible_in_any_order(const Subject& given, const Limits& limits);

/// What it says about all orders that the given one is infeasible: nothing, and the least RAM of
/// any order.
SolveResult unknown_in_other_orders(const Subject& given, const SolveResult& infeasible);

}  // namespace poet
