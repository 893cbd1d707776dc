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
  /// The last stage in which tensor i can be of use: in the first computation of a node that
  /// reads it, or in a recomputation that can itself still be of use.
  std::vector<int> last_use;
  /// The last stage whose first computation reads tensor i; i itself where none does.
  std::vector<int> last_first_use;

  bool collapsed() const { return first_stage > 0; }
  /// Neither option: held from birth to its last use in a first computation.
  bool permanent(int i) const { return !recompute[i] && !page[i]; }
  /// Whether the model has a column for recomputing node i in stage t.
  bool can_recompute(int t, int i) const {
    return t >= first_stage && i < t && recompute[i] && t <= last_use[i];
  }
  bool can_compute(int t, int i) const { return i == t || can_recompute(t, i); }
};

/// Everything that the problem allows and that a schedule cheaper than `extra_energy` above the
/// baseline could do: recomputing a node or paging a tensor that alone costs more than
/// `extra_energy` is left out. Pass infinity to leave out nothing.
Scope make_scope(const Problem& problem, bool collapse_forward, Joules extra_energy);

}  // namespace poet
