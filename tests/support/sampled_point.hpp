#pragma once

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "solver/formulation/sampled_relaxation.hpp"
#include "support/admitted.hpp"

namespace poet::test {

/// Whether tensor i is in RAM when stage t computes its own node, and not only to be taken over: a
/// reading of rules 2 and 5 of docs/schedule-format.md that the model does not share.
inline bool held_beside_own(const Problem& problem, const Schedule& schedule, int t, int i) {
  const Graph& graph = problem.graph;
  const Stage& stage = schedule.stages[t];
  if (i == t) return true;
  if (!has(stage.resident, i) && !has(stage.compute, i)) return false;
  const bool goes_on = t + 1 < graph.size() && has(schedule.stages[t + 1].resident, i);
  const bool written =
      problem.limits.paging_time == PagingTime::overlapped && has(stage.page_out, i);
  if (goes_on || written || !used_in(graph, stage, i)) return true;
  return has(graph.nodes[t].inputs, i) && graph.nodes[t].in_place != i;
}

/// The values of the sampled model's columns at a schedule.
class SampledPoint {
 public:
  SampledPoint(const SampledModel& model, const Problem& problem, const Schedule& schedule)
      : model_(model),
        problem_(problem),
        schedule_(schedule),
        values_(model.milp.columns.size(), 0.0) {}

  std::vector<double> run() {
    for (int i = 0; i < problem_.graph.size(); ++i) {
      set(model_.paged[i], happens(&Stage::page_out, i, 0, problem_.graph.size() - 1));
      fill_later(i);
      fill_unpaged(i);
    }
    return std::move(values_);
  }

 private:
  void set(const BinaryExpression& expression, bool value) {
    if (!expression.is_constant()) values_[expression.columns[0]] = value ? 1 : 0;
  }
  bool is_set(const BinaryExpression& expression) const { return holds(expression, values_); }

  bool happens(std::vector<int> Stage::*list, int i, int first, int last) const {
    for (int t = first; t <= last; ++t) {
      if (has(schedule_.stages[t].*list, i)) return true;
    }
    return false;
  }

  /// What happens in each interval; "this one or a later one" follows, the last interval first.
  void fill_later(int i) {
    bool computed = false;
    bool paged_in = false;
    for (auto now = model_.intervals.rbegin(); now != model_.intervals.rend(); ++now) {
      if (i >= now->moment) break;
      set(now->held[i], held_beside_own(problem_, schedule_, now->moment, i));
      set(now->compute[i], happens(&Stage::compute, i, now->moment + 1, now->last));
      set(now->page_in[i], happens(&Stage::page_in, i, now->moment, now->last - 1));
      computed = computed || is_set(now->compute[i]);
      paged_in = paged_in || is_set(now->page_in[i]);
      set(now->compute_later[i], computed);
      set(now->page_in_later[i], paged_in);
    }
  }

  /// K, which the model names and does not list: resident without a page-in since the first moment.
  void fill_unpaged(int i) {
    const SampledInterval* before = nullptr;
    bool unpaged = false;
    for (const SampledInterval& now : model_.intervals) {
      if (i >= now.moment) continue;
      const bool held = is_set(now.held[i]);
      unpaged = before == nullptr ? held : held && (unpaged || is_set(before->compute[i]));
      before = &now;
      for (std::size_t c = 0; c < values_.size(); ++c) {
        if (model_.milp.columns[c].name == fmt::format("K_{}_{}", now.moment, i)) {
          values_[c] = unpaged ? 1 : 0;
        }
      }
    }
  }

  const SampledModel& model_;
  const Problem& problem_;
  const Schedule& schedule_;
  std::vector<double> values_;
};

}  // namespace poet::test
