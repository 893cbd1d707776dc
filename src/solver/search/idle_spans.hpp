#pragma once

#include <optional>

#include "solver/search/plan.hpp"

namespace poet {

/// An idle span of tensor `node`: the stage boundaries between two touches of it. Stage `from`
/// touches it (uses or computes it), stage `to` is the next one that does, and those between do
/// not. Boundary t lies before stage t, so the span's boundaries are from+1 .. to.
struct IdleSpan {
  int node = 0;
  int from = 0;
  int to = 0;
};

/// What a plan does with a tensor during an idle span. Nothing else can usefully happen between two
/// touches: a recomputation in between would be a touch.
enum class SpanMode {
  keep,  ///< resident throughout
  drop,  ///< freed after `from`, recomputed in `to`
  page,  ///< freed, and paged in during stage to-1
};

/// The idle span of node i around boundary t (i < t); nothing if i is not used from t on.
std::optional<IdleSpan> find_idle_span(const Plan& plan, int i, int t);

/// What the plan does now.
SpanMode mode_of(const Plan& plan, const IdleSpan& span);

/// Whether the mode is possible: its technique is allowed, and for paging the span has room for a
/// page-in at least one stage after the page-out.
bool allows(const Plan& plan, const IdleSpan& span, SpanMode mode);

/// Edits the plan, without settling it. The mode must be allowed.
void set_mode(Plan& plan, const IdleSpan& span, SpanMode mode);

}  // namespace poet
