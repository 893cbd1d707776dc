#include "solver/search/greedy.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "solver/search/gaps.hpp"

namespace poet {
namespace {

/// A way to change a kept gap, and what that was worth when it was last tried.
struct Step {
  Gap gap;
  GapMode mode = GapMode::drop;
  Joules energy = 0;
  Bytes bytes = 0;   // of violation removed
  double price = 0;  // joules per byte; 0 before the first try, infinite where it does not help

  bool relieves(int stage) const { return gap.from <= stage && stage <= gap.to; }
  bool touches(const Gap& other) const { return gap.from <= other.to && other.from <= gap.to; }
};

/// Where all steps cost about the same, each looks cheapest until it is tried: then one of the
/// cheapest will do.
constexpr int kMostTries = 64;
constexpr double kUseless = std::numeric_limits<double>::infinity();

int worst_stage(const Plan& plan) {
  int worst = 0;
  for (int t = 1; t < plan.size(); ++t) {
    if (plan.peak(t) > plan.peak(worst)) worst = t;
  }
  return worst;
}

/// Trying a step costs far more than remembering it, and prices mostly rise as violations go. So
/// each step keeps its last price, and only the cheapest is tried anew: lazy greedy.
class Descent {
 public:
  Descent(Plan& plan, const Stop& stop) : plan_(plan), stop_(stop) {}

  GreedyTrace run() {
    collect_all();
    bool fresh = true;
    while (plan_.violation() > 0 && !stop_()) {
      const std::optional<Step> step = cheapest(worst_stage(plan_));
      if (step) {
        take(*step);
      } else if (fresh) {
        break;
      } else {
        collect_all();  // what was useless once may help by now
      }
      fresh = !step;
    }
    return trace_;
  }

 private:
  void collect_all() {
    steps_.clear();
    for (int i = 0; i < plan_.size(); ++i) collect(i, i + 1, plan_.size() - 1);
  }

  /// The gaps of node i that have a boundary in [first, last].
  void collect(int i, int first, int last) {
    for (int t = std::max(first, i + 1); t <= last;) {
      const auto gap = find_gap(plan_, i, t);
      if (!gap) return;
      t = gap->to + 1;
      if (mode_of(plan_, *gap) != GapMode::keep) continue;
      for (const GapMode mode : {GapMode::drop, GapMode::page}) {
        if (allows(plan_, *gap, mode)) steps_.push_back({.gap = *gap, .mode = mode});
      }
    }
  }

  /// The step with the least added energy per byte of violation removed, of those that cover the
  /// stage, end in it or start from it.
  std::optional<Step> cheapest(int stage) {
    for (int tries = 0; !stop_();) {
      auto best = steps_.end();
      double next_price = kUseless;
      for (auto step = steps_.begin(); step != steps_.end(); ++step) {
        if (!step->relieves(stage) || step->price == kUseless) continue;
        if (best == steps_.end() || step->price < best->price) {
          if (best != steps_.end()) next_price = best->price;
          best = step;
        } else {
          next_price = std::min(next_price, step->price);
        }
      }
      if (best == steps_.end()) return std::nullopt;
      tries += best->price > 0 ? 1 : 0;
      try_out(*best);
      const bool good_enough = best->price <= next_price || tries >= kMostTries;
      if (good_enough && best->price < kUseless) return *best;
    }
    return std::nullopt;
  }

  void try_out(Step& step) {
    step.price = kUseless;
    if (!current(step.gap)) return;
    const Joules energy = plan_.extra_energy();
    const Bytes violation = plan_.violation();
    set_mode(plan_, step.gap, step.mode);
    plan_.settle();
    step.energy = plan_.extra_energy() - energy;
    step.bytes = violation - plan_.violation();
    const bool in_time = plan_.overtime() <= 0;
    plan_.rollback();
    if (step.bytes <= 0 || !in_time) return;
    step.price = std::max(0.0, step.energy) / static_cast<double>(step.bytes);
  }

  /// Whether the gap is still there, and kept: changes elsewhere can have trimmed it.
  bool current(const Gap& gap) const {
    const auto now = find_gap(plan_, gap.node, gap.to);
    return now && now->from == gap.from && now->to == gap.to &&
           mode_of(plan_, gap) == GapMode::keep;
  }

  void take(const Step& step) {
    set_mode(plan_, step.gap, step.mode);
    plan_.settle();
    plan_.commit();
    ++trace_.steps;
    trace_.energy += step.energy;
    trace_.bytes += step.bytes;
    renew(step.gap);
  }

  /// Gaps of what the change touches: the node and, around a recomputation, all that it computes
  /// and reads.
  void renew(const Gap& changed) {
    const Graph& graph = plan_.problem().graph;
    std::vector<bool> affected(plan_.size(), false);
    affected[changed.node] = true;
    for (const int t : {changed.from, changed.to}) {
      for_each_bit(plan_.computations(t), [&](int k) {
        affected[k] = true;
        for (const int j : graph.nodes[k].inputs) affected[j] = true;
      });
    }
    std::erase_if(
        steps_, [&](const Step& step) { return affected[step.gap.node] && step.touches(changed); });
    for (int i = 0; i < plan_.size(); ++i) {
      if (affected[i]) collect(i, changed.from, std::min(changed.to + 1, plan_.size() - 1));
    }
  }

  Plan& plan_;
  const Stop& stop_;
  GreedyTrace trace_;
  std::vector<Step> steps_;
};

}  // namespace

GreedyTrace descend(Plan& plan, const Stop& stop) {
  return Descent(plan, stop).run();
}

void evict_everything(Plan& plan, bool by_paging, const Stop& stop) {
  const GapMode mode = by_paging ? GapMode::page : GapMode::drop;
  for (int i = 0; i < plan.size() && !stop(); ++i) {
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
