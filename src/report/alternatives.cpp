// Why a tensor is kept, recomputed or paged: what the other treatments would cost in this schedule.
// A solver has no reasons to give, but a reader who asks for one wants to know what happens if it
// is done otherwise, and that can be tried. Each alternative is the schedule with one tensor
// treated otherwise, replayed by the judge. Nothing is searched for: another tensor that could
// leave instead would be another schedule.
//
// An alternative makes entries superfluous, such as the page-in of a tensor that was only there for
// a recomputation that is gone. They would count against it, so they are taken out first: what
// nothing reads any more is not computed, returned or kept.

#include "report/alternatives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace poet {
namespace {

void include(std::vector<int>& list, int node) {
  const auto at = std::lower_bound(list.begin(), list.end(), node);
  if (at == list.end() || *at != node) list.insert(at, node);
}

void exclude(std::vector<int>& list, int node) {
  const auto at = std::lower_bound(list.begin(), list.end(), node);
  if (at != list.end() && *at == node) list.erase(at);
}

bool has(const std::vector<int>& list, int node) {
  return std::binary_search(list.begin(), list.end(), node);
}

/// Takes out what nothing reads, from the last stage to the first.
void remove_superfluous(const Graph& graph, Schedule& schedule) {
  std::vector<char> wanted(graph.nodes.size());       // at the start of the next stage
  std::vector<char> wanted_copy(graph.nodes.size());  // in secondary storage
  for (int t = static_cast<int>(schedule.stages.size()) - 1; t >= 0; --t) {
    Stage& stage = schedule.stages[t];
    std::erase_if(stage.page_in, [&](int node) { return wanted[node] == 0; });
    for (const int node : stage.page_in) {
      wanted[node] = 0;
      wanted_copy[node] = 1;
    }
    std::vector<int> compute;
    for (auto node = stage.compute.rbegin(); node != stage.compute.rend(); ++node) {
      if (*node != t && wanted[*node] == 0) continue;
      compute.push_back(*node);
      wanted[*node] = 0;
      for (const int input : graph.nodes[*node].inputs) wanted[input] = 1;
    }
    stage.compute.assign(compute.rbegin(), compute.rend());
    std::erase_if(stage.page_out, [&](int node) { return wanted_copy[node] == 0; });
    for (const int node : stage.page_out) {
      wanted_copy[node] = 0;
      wanted[node] = 1;
    }
    std::erase_if(stage.resident, [&](int node) { return wanted[node] == 0; });
  }
}

/// The schedule with another treatment of one tensor.
class Variation {
 public:
  Variation(const Graph& graph, const Schedule& schedule, int node)
      : graph_(graph), schedule_(schedule), node_(node) {}

  /// In RAM from its first computation to the last stage that has it.
  Schedule keep() {
    int last = node_;
    for (int t = node_; t < stage_count(); ++t) {
      if (has(stage(t).resident, node_) || has(stage(t).compute, node_)) last = t;
    }
    for (int t = node_; t < stage_count(); ++t) {
      remove_returns(t);
      if (t > node_ && t <= last) include(stage(t).resident, node_);
    }
    return finished();
  }

  /// Instead of each page-in, a computation in the stage of the use that follows.
  Schedule recompute_instead() {
    for (int t = node_; t < stage_count(); ++t) {
      exclude(stage(t).page_out, node_);
      if (!has(stage(t).page_in, node_)) continue;
      exclude(stage(t).page_in, node_);
      int use = t + 1;
      while (use < stage_count() && !reads(use)) exclude(stage(use++).resident, node_);
      if (use == stage_count()) continue;
      exclude(stage(use).resident, node_);
      compute_in(use, node_);
    }
    return finished();
  }

  /// Instead of each recomputation, a page-in right before. What returns too soon after its first
  /// computation to be written before is kept until then.
  Schedule page_instead() {
    include(stage(node_ + 1).resident, node_);
    include(stage(node_ + 1).page_out, node_);
    for (int t = node_ + 2; t < stage_count(); ++t) exclude(stage(t).page_out, node_);
    for (int t = node_ + 1; t < stage_count(); ++t) {
      if (!has(stage(t).compute, node_)) continue;
      exclude(stage(t).compute, node_);
      if (t > node_ + 2 && !has(stage(t - 1).resident, node_)) {
        include(stage(t - 1).page_in, node_);
      } else {
        for (int s = node_ + 1; s < t; ++s) include(stage(s).resident, node_);
      }
      include(stage(t).resident, node_);
    }
    return finished();
  }

  Schedule recompute_after(const std::pair<int, int>& gap) {
    for (int t = gap.first + 1; t <= gap.second; ++t) exclude(stage(t).resident, node_);
    compute_in(gap.second, node_);
    return finished();
  }

  Schedule page_in_between(const std::pair<int, int>& gap) {
    const int written = std::max(gap.first, node_ + 1);
    for (int t = written + 1; t < gap.second; ++t) exclude(stage(t).resident, node_);
    include(stage(written).page_out, node_);
    include(stage(gap.second - 1).page_in, node_);
    return finished();
  }

 private:
  int stage_count() const { return static_cast<int>(schedule_.stages.size()); }
  Stage& stage(int t) { return schedule_.stages.at(t); }

  bool reads(int t) const {
    const std::vector<int>& compute = schedule_.stages[t].compute;
    return std::any_of(compute.begin(), compute.end(),
                       [&](int user) { return has(graph_.nodes[user].inputs, node_); });
  }

  void remove_returns(int t) {
    exclude(stage(t).page_out, node_);
    exclude(stage(t).page_in, node_);
    if (t > node_) exclude(stage(t).compute, node_);
  }

  /// With all that it reads and that is gone. What is computed needs no copy for the next stage.
  void compute_in(int t, int node) {
    include(stage(t).compute, node);
    exclude(stage(t).page_in, node);
    for (const int input : graph_.nodes[node].inputs) {
      if (!has(stage(t).resident, input) && !has(stage(t).compute, input)) compute_in(t, input);
    }
  }

  Schedule finished() {
    remove_superfluous(graph_, schedule_);
    return std::move(schedule_);
  }

  const Graph& graph_;
  Schedule schedule_;
  int node_;
};

std::int64_t entries(const Schedule& schedule) {
  std::int64_t sum = 0;
  for (const Stage& stage : schedule.stages) {
    sum += static_cast<std::int64_t>(stage.resident.size() + stage.compute.size() +
                                     stage.page_out.size() + stage.page_in.size());
  }
  // A replay also has sets of all nodes for each stage, 64 in a word.
  return sum + static_cast<std::int64_t>(schedule.stages.size() * schedule.stages.size() / 8);
}

class Weigher {
 public:
  explicit Weigher(const ScheduleFile& file)
      : file_(file),
        graph_(file.graph),
        choices_(file.graph.nodes.size()),
        work_of_replay_(entries(file.schedule)) {
    for (int t = 0; t < graph_.size(); ++t) {
      for (const int node : file.schedule.stages[t].compute) {
        if (node != t) ++choices_[node].recompute_count;
      }
      for (const int node : file.schedule.stages[t].page_in) ++choices_[node].page_in_count;
    }
    find_gaps();
  }

  std::vector<TensorChoice> run(std::int64_t max_work) {
    for (const int node : by_interest()) {
      TensorChoice& choice = choices_[node];
      if (!returns(node) && choice.gap_begin < 0) continue;
      choice.weighed = returns(node) || work_ + 2 * work_of_replay_ <= max_work;
      if (choice.weighed) weigh(node);
    }
    return std::move(choices_);
  }

 private:
  bool returns(int node) const {
    return choices_[node].recompute_count + choices_[node].page_in_count > 0;
  }

  Variation variation(int node) const { return {graph_, file_.schedule, node}; }

  /// Of each tensor that stays, the stages of two uses that follow each other, furthest apart. All
  /// in one pass, as a copy of the schedule for each tensor took longer than the replays.
  void find_gaps() {
    std::vector<int> last(graph_.nodes.size());
    std::iota(last.begin(), last.end(), 0);
    for (int t = 0; t < graph_.size(); ++t) {
      for (const int user : file_.schedule.stages[t].compute) {
        for (const int node : graph_.nodes[user].inputs) {
          TensorChoice& choice = choices_[node];
          const int width = t - std::exchange(last[node], t);
          const bool is_wider = width >= 2 && width > choice.gap_end - choice.gap_begin;
          if (!is_wider || returns(node)) continue;
          choice.gap_begin = t - width;
          choice.gap_end = t;
        }
      }
    }
  }

  std::vector<int> by_interest() const {
    std::vector<int> order(graph_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto weight = [&](int node) {
      const TensorChoice& choice = choices_[node];
      const double stages = returns(node) ? 2.0 * graph_.size() : choice.gap_end - choice.gap_begin;
      return std::pair(returns(node), stages * static_cast<double>(graph_.nodes[node].bytes));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight(a) > weight(b); });
    return order;
  }

  void weigh(int node) {
    const TensorChoice& choice = choices_[node];
    const std::pair gap{choice.gap_begin, choice.gap_end};
    if (!returns(node)) {
      if (may(node, Treatment::recompute)) {
        replay(node, Treatment::recompute, variation(node).recompute_after(gap));
      }
      if (may(node, Treatment::page)) {
        if (gap.second - std::max(gap.first, node + 1) < 2) {
          refuse(node, Treatment::page, "it is used again before it could be written and read");
        } else {
          replay(node, Treatment::page, variation(node).page_in_between(gap));
        }
      }
      return;
    }
    replay(node, Treatment::keep, variation(node).keep());
    if (choice.page_in_count > 0 && may(node, Treatment::recompute)) {
      replay(node, Treatment::recompute, variation(node).recompute_instead());
    }
    if (choice.recompute_count > 0 && may(node, Treatment::page)) {
      replay(node, Treatment::page, variation(node).page_instead());
    }
  }

  /// Whether the problem allows it.
  bool may(int node, Treatment treatment) {
    const bool recomputes = treatment == Treatment::recompute;
    const TechniqueSet& techniques = file_.request.limits.techniques;
    if (!(recomputes ? techniques.remat : techniques.paging)) {
      refuse(node, treatment,
             recomputes ? "the request allows no recomputation" : "the request allows no paging");
      return false;
    }
    if (!(recomputes ? graph_.nodes[node].recompute : graph_.nodes[node].page)) {
      refuse(node, treatment, recomputes ? "it may be computed only once" : "it may not be paged");
      return false;
    }
    return true;
  }

  void refuse(int node, Treatment treatment, const char* obstacle) {
    choices_[node].alternatives.push_back({.treatment = treatment, .obstacle = obstacle});
  }

  void replay(int node, Treatment treatment, const Schedule& schedule) {
    work_ += work_of_replay_;
    const Replay replay = simulate(graph_, schedule, file_.request.limits);
    choices_[node].alternatives.push_back({.treatment = treatment,
                                           .replayed = true,
                                           .obstacle = obstacle(replay),
                                           .energy_joules = replay.energy_joules,
                                           .runtime_seconds = replay.runtime_seconds,
                                           .peak_ram_bytes = replay.peak_ram_bytes});
  }

  /// Violations of other rules than budgets come first: such a schedule is wrong with any budget.
  std::string obstacle(const Replay& replay) const {
    if (replay.valid()) return {};
    const Limits& limits = file_.request.limits;
    for (const Violation& violation : replay.violations) {
      if (violation.rule != Rule::ram && violation.rule != Rule::runtime) return violation.message;
    }
    if (replay.peak_ram_bytes > limits.ram_budget_bytes) {
      return fmt::format("it needs {} more than the RAM budget",
                         format_bytes(replay.peak_ram_bytes - limits.ram_budget_bytes));
    }
    return fmt::format("it takes {} more than the runtime budget",
                       format_seconds(replay.runtime_seconds - limits.runtime_budget_seconds));
  }

  const ScheduleFile& file_;
  const Graph& graph_;
  std::vector<TensorChoice> choices_;
  std::int64_t work_of_replay_;
  std::int64_t work_ = 0;
};

}  // namespace

std::vector<TensorChoice> weigh_choices(const ScheduleFile& file, std::int64_t max_work) {
  return Weigher(file).run(max_work);
}

}  // namespace poet
