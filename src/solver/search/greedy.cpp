#include "solver/search/greedy.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "solver/search/idle_spans.hpp"

namespace poet {
namespace {

/// A way to change a kept idle span, and what it was worth when it was last tried.
struct Step {
  IdleSpan span;
  SpanMode mode = SpanMode::drop;
  Joules energy = 0;
  Bytes bytes = 0;   // of violation removed
  double price = 0;  // joules per byte; 0 before the first try, infinite if useless

  bool relieves(int stage) const { return span.from <= stage && stage <= span.to; }
  bool touches(const IdleSpan& other) const {
    return span.from <= other.to && other.from <= span.to;
  }
};

/// If all steps cost about the same, each looks cheapest until it is tried. After this many tries
/// one of the cheapest will do.
constexpr int kMaxTries = 64;
constexpr double kUseless = std::numeric_limits<double>::infinity();

int worst_stage(const Plan& plan) {
  int worst = 0;
  for (int t = 1; t < plan.size(); ++t) {
    if (plan.peak(t) > plan.peak(worst)) worst = t;
  }
  return worst;
}

/// Trying a step costs far more than remembering it, and prices mostly rise as violations fall. So
/// each step keeps its last price, and only the cheapest is tried anew.
class Descent {
 public:
  Descent(Plan& plan, const Stop& stop) : plan_(plan), stop_(stop) {}

  void run() {
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
  }

 private:
  void collect_all() {
    steps_.clear();
    for (int i = 0; i < plan_.size(); ++i) collect(i, i + 1, plan_.size() - 1);
  }

  /// Collects the idle spans of node i that have a boundary in [first, last].
  void collect(int i, int first, int last) {
    for (int t = std::max(first, i + 1); t <= last;) {
      const auto span = find_idle_span(plan_, i, t);
      if (!span) return;
      t = span->to + 1;
      if (mode_of(plan_, *span) != SpanMode::keep) continue;
      for (const SpanMode mode : {SpanMode::drop, SpanMode::page}) {
        if (allows(plan_, *span, mode)) steps_.push_back({.span = *span, .mode = mode});
      }
    }
  }

  /// The step with the least added energy per byte of violation removed, among those that cover the
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
      const bool good_enough = best->price <= next_price || tries >= kMaxTries;
      if (good_enough && best->price < kUseless) return *best;
    }
    return std::nullopt;
  }

  void try_out(Step& step) {
    step.price = kUseless;
    if (!current(step.span)) return;
    const Joules energy = plan_.extra_energy();
    const Bytes violation = plan_.violation();
    set_mode(plan_, step.span, step.mode);
    plan_.settle();
    step.energy = plan_.extra_energy() - energy;
    step.bytes = violation - plan_.violation();
    const bool in_time = plan_.overtime() <= 0;
    plan_.rollback();
    if (step.bytes <= 0 || !in_time) return;
    step.price = std::max(0.0, step.energy) / static_cast<double>(step.bytes);
  }

  /// Whether the span still exists and is kept: changes elsewhere can have trimmed it.
  bool current(const IdleSpan& span) const {
    const auto now = find_idle_span(plan_, span.node, span.to);
    return now && now->from == span.from && now->to == span.to &&
           mode_of(plan_, span) == SpanMode::keep;
  }

  void take(const Step& step) {
    set_mode(plan_, step.span, step.mode);
    plan_.settle();
    plan_.commit();
    renew(step.span);
  }

  /// Collects anew the idle spans that the change affects: those of its node and, around a
  /// recomputation, of all nodes that it computes and reads.
  void renew(const IdleSpan& changed) {
    const Graph& graph = plan_.problem().graph;
    std::vector<bool> affected(plan_.size(), false);
    affected[changed.node] = true;
    for (const int t : {changed.from, changed.to}) {
      for_each_bit(plan_.computations(t), [&](int k) {
        affected[k] = true;
        for (const int j : graph.nodes[k].inputs) affected[j] = true;
      });
    }
    std::erase_if(steps_, [&](const Step& step) {
      return affected[step.span.node] && step.touches(changed);
    });
    for (int i = 0; i < plan_.size(); ++i) {
      if (affected[i]) collect(i, changed.from, std::min(changed.to + 1, plan_.size() - 1));
    }
  }

  Plan& plan_;
  const Stop& stop_;
  std::vector<Step> steps_;
};

}  // namespace

void descend(Plan& plan, const Stop& stop) {
  Descent(plan, stop).run();
}

void evict_everything(Plan& plan, bool by_paging, const Stop& stop) {
  const SpanMode mode = by_paging ? SpanMode::page : SpanMode::drop;
  for (int i = 0; i < plan.size() && !stop(); ++i) {
    for (int t = i + 1; t < plan.size();) {
      const auto span = find_idle_span(plan, i, t);
      if (!span) break;
      if (span->to - span->from >= 2 && allows(plan, *span, mode)) {
        set_mode(plan, *span, mode);
        plan.settle();
        plan.commit();
      }
      t = span->to + 1;
    }
  }
}

}  // namespace poet
