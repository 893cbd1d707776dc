#pragma once

#include <vector>

#include "poet/problem.hpp"
#include "poet/solver_features.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/formulation/variables.hpp"
#include "solver/milp/milp.hpp"

namespace poet {

/// Builds the model of docs/formulation.md. It applies the presolve that the windows imply:
/// constants move to the right-hand sides, columns without a meaning are not made, and rows that
/// cannot be violated are left out. It reads the features that concern rows (row_rounding,
/// sub_rows).
///
/// The problem and its stages are POET's (ICML 2022) and Checkmate's (MLSys 2020); the encoding is
/// our own. Residency is "carried or just paged in" instead of a column beside one for holding,
/// which halves the columns: the first linear program of `resnet50` takes a fifth of the time. Of
/// POET's own formulation CBC found no schedule for any of the nineteen named problems in 60 s
/// each.
Formulation formulate(const Problem& problem, const UsefulWindows& windows,
                      const SolverFeatures& features = {});

/// Adds the page-out link (row_builder.hpp) of a collapsed model to `milp`, which is the model or a
/// copy of it. It contains all precedence cuts of length 0 at once, for a solver that cannot be
/// given cuts between its nodes.
void add_page_out_link(const Formulation& model, Milp& milp);

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
Milp sampled_relaxation(const Problem& problem, const UsefulWindows& windows,
                        const std::vector<int>& moments);

}  // namespace poet
