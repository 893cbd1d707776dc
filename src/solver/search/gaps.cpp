#include "solver/search/gaps.hpp"

namespace poet {

std::optional<Gap> find_gap(const Plan& plan, int i, int t) {
  int to = t;
  while (to < plan.size() && !plan.touched(to, i)) ++to;
  if (to == plan.size()) return std::nullopt;
  int from = t - 1;
  while (from > i && !plan.touched(from, i)) --from;
  return Gap{.node = i, .from = from, .to = to};
}

GapMode mode_of(const Plan& plan, const Gap& gap) {
  if (!plan.resident(gap.to, gap.node)) return GapMode::drop;
  for (int t = gap.from; t < gap.to; ++t) {
    if (plan.paged_in(t, gap.node)) return GapMode::page;
  }
  return GapMode::keep;
}

bool allows(const Plan& plan, const Gap& gap, GapMode mode) {
  const Limits& limits = plan.problem().limits;
  switch (mode) {
    case GapMode::drop:
      return limits.remat;
    case GapMode::page:
      return limits.paging && gap.to - gap.from >= 2 && gap.to - 1 >= gap.node + 2;
    case GapMode::keep:
      break;
  }
  return true;
}

void set_mode(Plan& plan, const Gap& gap, GapMode mode) {
  const int i = gap.node;
  // The new page-in first: a tensor that stays paged must not be unpinned in between.
  if (mode == GapMode::page) plan.set_page_in(gap.to - 1, i, true);
  for (int t = gap.from; t < gap.to; ++t) {
    if (mode != GapMode::page || t != gap.to - 1) plan.set_page_in(t, i, false);
  }
  if (mode == GapMode::keep) {
    plan.set_resident(i, gap.from + 1, gap.to, true);
    return;
  }
  const bool pinned_here = plan.paged(i) && gap.from == i;
  const int first = gap.from + (pinned_here ? 2 : 1);
  const int last = mode == GapMode::page ? gap.to - 1 : gap.to;
  if (first <= last) plan.set_resident(i, first, last, false);
  if (mode == GapMode::page) plan.set_resident(i, gap.to, gap.to, true);
  if (plan.paged(i) && !plan.resident(i + 1, i)) plan.set_resident(i, i + 1, i + 1, true);
}

}  // namespace poet
