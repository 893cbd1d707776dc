#pragma once

#include "solver/search/timeline.hpp"

namespace poet {

/// Makes the page-out of a node in this stage, which must be one that can.
void move_page_out(Timeline& timeline, int node, int stage);

/// The last stage that could write a node out and has it in RAM anyway; otherwise the first that
/// could.
int last_free_page_out(const Timeline& timeline, int node);

/// If transfers overlap with computations, puts off the page-out of a paged node to the stage that
/// it lengthens least, of those that have the tensor in RAM anyway. Does nothing if it has been put
/// off before.
///
/// More runs find a schedule at tight runtime budgets than with every page-out right after its
/// computation, and with less extra energy.
void hide_page_out(Timeline& timeline, int node);

}  // namespace poet
