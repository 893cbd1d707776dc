#include "solver/search/idle_spans.hpp"

namespace poet {

std::optional<IdleSpan> find_idle_span(const Plan& plan, int i, int t) {
  int to = t;
  while (to < plan.size() && !plan.touched(to, i)) ++to;
  if (to == plan.size()) return std::nullopt;
  int from = t - 1;
  while (from > i && !plan.touched(from, i)) --from;
  return IdleSpan{.node = i, .from = from, .to = to};
}

SpanMode mode_of(const Plan& plan, const IdleSpan& span) {
  if (!plan.resident(span.to, span.node)) return SpanMode::drop;
  for (int t = span.from; t < span.to; ++t) {
    if (plan.paged_in(t, span.node)) return SpanMode::page;
  }
  return SpanMode::keep;
}

bool allows(const Plan& plan, const IdleSpan& span, SpanMode mode) {
  const Graph& graph = plan.problem().graph;
  const Limits& limits = plan.problem().limits;
  switch (mode) {
    case SpanMode::drop:
      return limits.remat && graph.last_stage[span.node] >= span.to;
    case SpanMode::page:
      return limits.paging && graph.nodes[span.node].page && span.to - span.from >= 2 &&
             span.to - 1 >= span.node + 2;
    case SpanMode::keep:
      break;
  }
  return true;
}

void set_mode(Plan& plan, const IdleSpan& span, SpanMode mode) {
  const int i = span.node;
  // The new page-in first: a tensor that stays paged must not be unpinned in between.
  if (mode == SpanMode::page) plan.set_page_in(span.to - 1, i, true);
  for (int t = span.from; t < span.to; ++t) {
    if (mode != SpanMode::page || t != span.to - 1) plan.set_page_in(t, i, false);
  }
  if (mode == SpanMode::keep) {
    plan.set_resident(i, span.from + 1, span.to, true);
    return;
  }
  const bool pinned_here = plan.paged(i) && span.from == i;
  const int first = span.from + (pinned_here ? 2 : 1);
  const int last = mode == SpanMode::page ? span.to - 1 : span.to;
  if (first <= last) plan.set_resident(i, first, last, false);
  if (mode == SpanMode::page) plan.set_resident(i, span.to, span.to, true);
  if (plan.paged(i) && !plan.resident(i + 1, i)) plan.set_resident(i, i + 1, i + 1, true);
}

}  // namespace poet
