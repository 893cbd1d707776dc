#pragma once

#include <optional>
#include <string_view>

#include "poet/question.hpp"

namespace poet {

/// Of the time limit, for the search for an order or for a set of copies. The solve of what it
/// finds has the rest.
inline constexpr double kChoiceShare = 0.5;

/// Of the usual moves of such a search.
double effort_of_choice(const SolveSettings& settings);

/// Why no choice has a schedule within the limits: one pass takes too long, or a
/// computation of `computed`, which every choice has, needs more RAM by itself than there is.
/// `choice` ends the reason. Nothing if neither holds.
std::optional<SolveResult> infeasible_with_any_choice(const Subject& subject, const Graph& computed,
                                                      const Limits& limits,
                                                      std::string_view choice);

}  // namespace poet
