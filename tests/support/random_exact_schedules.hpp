#pragma once

#include <array>
#include <set>
#include <vector>

#include "support/graph_attributes.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// A random graph as in random_graph(), with all that graphs beyond POET's have.
inline Graph random_exact_graph(Twister& random) {
  const auto below = [&](int count) { return draw(random, 0, count - 1); };
  return with_attributes(random_graph(random), below);
}

/// Builds a schedule stage by stage. What is dropped can be had again: each drop is tried out
/// against everything that is still to be computed.
class ExactScheduler {
 public:
  ExactScheduler(Twister& random, const Graph& graph, const Habits& habits)
      : random_(random), graph_(graph), habits_(habits) {}

  Schedule run() {
    Schedule schedule;
    for (int t = 0; t < graph_.size(); ++t) schedule.stages.push_back(run_stage(t));
    return schedule;
  }

 private:
  using Set = std::set<int>;

  /// What stage t computes and reads back before it, to get node `target` from what is at hand.
  struct Plan {
    Set compute;
    Set page_in;
    bool works = true;
  };

  void add(Plan& plan, int t, int target, const Set& at_hand, const Set& copies) const {
    if (at_hand.contains(target) || plan.compute.contains(target) ||
        plan.page_in.contains(target)) {
      return;
    }
    if (target == t || graph_.last_stage[target] >= t) {
      plan.compute.insert(target);
      for (const int input : graph_.nodes[target].inputs) add(plan, t, input, at_hand, copies);
    } else if (copies.contains(target)) {
      plan.page_in.insert(target);
    } else {
      plan.works = false;
    }
  }

  Plan plan_stage(int t, const Set& at_hand, const Set& copies) const {
    Plan plan;
    add(plan, t, t, at_hand, copies);
    return plan;
  }

  /// Whether everything after stage t can be computed if nothing else is dropped. Copies can be
  /// read back for the stages after the next.
  bool goes_on(int t, const Set& next, const Set& copies) const {
    Set at_hand = next;
    for (int k = t + 1; k < graph_.size(); ++k) {
      if (!plan_stage(k, at_hand, k == t + 1 ? Set{} : copies).works) return false;
      at_hand.insert(k);
    }
    return true;
  }

  Stage run_stage(int t) {
    const Plan plan = plan_stage(t, resident_, {});
    Stage stage = {.resident = {resident_.begin(), resident_.end()},
                   .compute = {plan.compute.begin(), plan.compute.end()}};
    Set held = resident_;
    held.insert(plan.compute.begin(), plan.compute.end());
    Set arriving;
    if (t + 1 < graph_.size()) {
      arriving = plan_stage(t + 1, held, copies_).page_in;
      for (const int node : copies_) {
        if (!held.contains(node) && chance(random_, habits_.page_in)) arriving.insert(node);
      }
    }
    for (const int node : resident_) {
      if (graph_.nodes[node].page && chance(random_, habits_.page_out)) {
        stage.page_out.push_back(node);
      }
    }
    copies_.insert(stage.page_out.begin(), stage.page_out.end());
    Set next = held;
    next.insert(arriving.begin(), arriving.end());
    for (const int node : held) {
      // What nobody needs any more goes more often than not, so that outputs take over inputs.
      const std::vector<int>& users = graph_.users[node];
      const bool done = users.empty() || users.back() <= t;
      if (!chance(random_, done ? 80 : habits_.drop)) continue;
      next.erase(node);
      if (!goes_on(t, next, copies_)) next.insert(node);
    }
    stage.page_in = {arriving.begin(), arriving.end()};
    resident_ = next;
    return stage;
  }

  Twister& random_;
  const Graph& graph_;
  const Habits& habits_;
  Set resident_;
  Set copies_;
};

/// An exact graph with a schedule and the tightest limits that it keeps to, with any kind of paging
/// time.
inline Case random_exact_case(Twister& random) {
  constexpr std::array kHabits = {Habits{}, Habits{.drop = 40}, Habits{.drop = 70},
                                  Habits{.drop = 40, .page_out = 30, .page_in = 50},
                                  Habits{.drop = 70, .page_out = 60, .page_in = 30}};
  Case made = {.graph = random_exact_graph(random)};
  made.schedule = ExactScheduler(random, made.graph, pick(random, kHabits)).run();
  made.limits.paging_time = static_cast<PagingTime>(draw(random, 0, 2));
  const Replay replay = simulate(made.graph, made.schedule, made.limits);
  made.limits.ram_budget_bytes = replay.peak_ram_bytes;
  made.limits.runtime_budget_seconds = replay.runtime_seconds;
  if (chance(random, 50)) made.limits.storage.storage_budget_bytes = replay.storage_bytes;
  if (chance(random, 50)) made.limits.storage.page_out_budget_bytes = replay.written_bytes;
  return made;
}

}  // namespace poet::test
