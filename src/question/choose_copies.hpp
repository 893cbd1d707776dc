#pragma once

#include <optional>

#include "poet/question.hpp"

namespace poet {

/// What came of a search over the sets of copies that a subject's gradients may read.
struct CopiedSubject {
  Subject subject;                       ///< with the copies that were found
  std::optional<Schedule> start;         ///< for it, within the limits
  std::optional<Joules> without_joules;  ///< of the best schedule found without copies
  Seconds wall_seconds = 0;
};

/// The mode of the copies that a search chooses.
CopyMode copy_mode(CopyChoice choice);

/// Searches sets of copies for a schedule of little energy, or of little time with
/// Objective::runtime, within the limits. `subject` has none, or the copies of options.start. It
/// takes half of the time limit at most. Throws InputError for a model that cannot have copies.
CopiedSubject choose_copies(const Subject& subject, const Limits& limits,
                            const SolveSettings& settings, const AnswerOptions& options);

/// The order first, if one is searched for and none is chosen, and then the copies in it.
CopiedSubject choose_order_and_copies(const Subject& given, const Limits& limits,
                                      SolveSettings settings, AnswerOptions options);

/// Why no set of copies has a schedule within the limits: a computation of the forward pass needs
/// more RAM than there is by itself, or computing every node once takes too long; nothing if
/// neither holds. `subject` is without copies.
std::optional<SolveResult> infeasible_with_any_copies(const Subject& subject, const Limits& limits,
                                                      CopyChoice choice);

/// What it says about all sets of copies that one is infeasible: nothing.
SolveResult unknown_with_other_copies(const SolveResult& infeasible);

}  // namespace poet
