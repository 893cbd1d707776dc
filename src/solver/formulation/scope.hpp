#pragma once

#include <vector>

#include "poet/problem.hpp"

namespace poet {

/// Which options a model offers, and so which columns it has. A model over a wider scope is never
/// wrong; a narrower one is exact where what it leaves out is in no better schedule.
struct Scope {
  /// 0: every stage. F, the first backward node: the forward stages collapsed into a free choice
  /// of what is resident when the backward pass starts (a relaxation, docs/formulation.md).
  int first_stage = 0;
  std::vector<bool> recompute;  ///< node i may be recomputed
  std::vector<bool> page;       ///< tensor i may be paged
  /// The last stage at whose start tensor i can be of use: in the first computation of a node that
  /// reads it, or in recomputations that lead to one.
  std::vector<int> last_use;
  std::vector<int> last_recompute;  ///< likewise, the last stage in which to recompute i
  std::vector<int> last_page_in;    ///< likewise, the last stage in which to page i in
  /// The last stage whose first computation reads tensor i; i itself where none does.
  std::vector<int> last_first_use;

  bool collapsed() const { return first_stage > 0; }
  /// Neither option: held from birth to its last use in a first computation.
  bool permanent(int i) const { return !recompute[i] && !page[i]; }
  /// Whether the model has a column for recomputing node i in stage t.
  bool can_recompute(int t, int i) const {
    return t >= first_stage && i < t && recompute[i] && t <= last_recompute[i];
  }
  bool can_compute(int t, int i) const { return i == t || can_recompute(t, i); }
};

/// Everything that the problem allows and that a schedule of at most `extra_energy` above the
/// baseline can do. Holding tensor i at the start of stage t is of use only if it leads, through
/// recomputations, to a first computation in t or later; D_t(i), the energy of the cheapest such
/// chain, is part of the schedule's extra energy, and so are the energies of recomputing or paging
/// i itself. What costs more than `extra_energy` is left out. Infinity leaves out only what can
/// lead nowhere.
Scope make_scope(const Problem& problem, bool collapse_forward, Joules extra_energy);

}  // namespace poet
