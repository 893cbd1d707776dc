#pragma once

#include "poet/problem.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// A relaxation that looks at RAM at a few sampled moments only, and is therefore small: the stages
/// from the windows' first one on are cut into `moments` intervals of about equal length, and the
/// moment of an interval is when its first stage computes its own node. What happens between two
/// moments is summed up: a tensor is recomputed in the interval or not, paged in or not. Its
/// optimum is a lower bound, in joules above the baseline, on the energy of every schedule that the
/// windows allow, whatever the graph and however many moments.
///
/// In most problems the whole difficulty is one choice: what to keep when the backward pass begins.
/// Four moments capture that choice in some hundred columns, where the collapsed model has ten
/// thousand. `resnet50` at 47 MB and `bert` on `a72` are proven in 0.01 to 0.1 s after the local
/// search; the first linear program of the collapsed model alone took up to 10 s there. Graphs
/// whose complete model is too large to build (1000 nodes and more) get their only bound from here,
/// with more and more moments. docs/formulation.md, "The sampled relaxation".
Milp sampled_relaxation(const Problem& problem, const UsefulWindows& windows, int moments);

}  // namespace poet
