#include "solver/greedy.hpp"

#include <algorithm>
#include <limits>

#include "solver/gaps.hpp"

namespace poet {
namespace {

struct Step {
  Gap gap;
  GapMode mode = GapMode::drop;
  Joules energy = 0;
  Bytes bytes = 0;
  double price = std::numeric_limits<double>::infinity();  // joules per byte removed
};

int worst_stage(const Plan& plan) {
  int worst = 0;
  for (int t = 1; t < plan.size(); ++t) {
    if (plan.peak(t) > plan.peak(worst)) worst = t;
  }
  return worst;
}

void try_step(Plan& plan, const Gap& gap, GapMode mode, Step& best) {
  if (!allows(plan, gap, mode) || mode_of(plan, gap) != GapMode::keep) return;
  const Joules energy = plan.extra_energy();
  const Bytes violation = plan.violation();
  set_mode(plan, gap, mode);
  plan.settle();
  const Step step{gap, mode, plan.extra_energy() - energy, violation - plan.violation()};
  const bool in_time = plan.overtime() <= 0;
  plan.rollback();
  if (step.bytes <= 0 || !in_time) return;
  const double price = std::max(0.0, step.energy) / static_cast<double>(step.bytes);
  if (price < best.price) {
    best = step;
    best.price = price;
  }
}

/// The cheapest way to relieve stage t: a gap that covers it, ends in it or starts from it.
Step best_step(Plan& plan, int t) {
  Step best;
  for (int boundary = t; boundary <= std::min(t + 1, plan.size() - 1); ++boundary) {
    std::vector<int> candidates;
    for_each_bit(plan.residents(boundary), [&](int i) { candidates.push_back(i); });
    for (const int i : candidates) {
      const auto gap = find_gap(plan, i, boundary);
      if (!gap || (boundary > t && gap->from != t)) continue;
      try_step(plan, *gap, GapMode::drop, best);
      try_step(plan, *gap, GapMode::page, best);
    }
  }
  return best;
}

}  // namespace

GreedyTrace descend(Plan& plan) {
  GreedyTrace trace;
  while (plan.violation() > 0) {
    const Step step = best_step(plan, worst_stage(plan));
    if (step.bytes <= 0) break;
    set_mode(plan, step.gap, step.mode);
    plan.settle();
    plan.commit();
    ++trace.steps;
    trace.energy += step.energy;
    trace.bytes += step.bytes;
  }
  return trace;
}

void evict_everything(Plan& plan, bool by_paging) {
  const GapMode mode = by_paging ? GapMode::page : GapMode::drop;
  for (int i = 0; i < plan.size(); ++i) {
    for (int t = i + 1; t < plan.size();) {
      const auto gap = find_gap(plan, i, t);
      if (!gap) break;
      if (gap->to - gap->from >= 2 && allows(plan, *gap, mode)) {
        set_mode(plan, *gap, mode);
        plan.settle();
        plan.commit();
      }
      t = gap->to + 1;
    }
  }
}

}  // namespace poet
