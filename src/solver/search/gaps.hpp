#pragma once

#include <optional>

#include "solver/search/plan.hpp"

namespace poet {

/// A gap of tensor `node`: the stage boundaries between two touches of it. Stage `from` touches
/// it (uses or computes it), stage `to` is the next one that does, those between do not.
/// Boundary t lies before stage t, so the gap's boundaries are from+1 .. to.
struct Gap {
  int node = 0;
  int from = 0;
  int to = 0;
};

/// What a plan does with a tensor during a gap.
enum class GapMode {
  keep,  ///< resident throughout
  drop,  ///< freed after `from`, recomputed in `to`
  page,  ///< freed, and paged in during stage to-1
};

/// The gap of node i around boundary t (i < t), or nothing where i is not used from t on.
std::optional<Gap> find_gap(const Plan& plan, int i, int t);

/// What the plan does now.
GapMode mode_of(const Plan& plan, const Gap& gap);

/// Whether the mode is possible: its technique is allowed, and for paging the gap has room for a
/// page-in at least one stage after the page-out.
bool allows(const Plan& plan, const Gap& gap, GapMode mode);

/// Edits the plan, without settling it. The mode must be allowed.
void set_mode(Plan& plan, const Gap& gap, GapMode mode);

}  // namespace poet
