#include "solver/formulation/extract.hpp"

#include <algorithm>
#include <utility>

namespace poet {
namespace {

using Flags = std::vector<bool>;

bool holds(const Quantity& quantity, std::span<const double> values) {
  return value_of(quantity, values) > 0.5;
}

std::vector<int> members(const Flags& flags) {
  std::vector<int> list;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) list.push_back(static_cast<int>(i));
  }
  return list;
}

Flags flags_of(const std::vector<int>& list, int size) {
  Flags flags(size, false);
  for (const int i : list) flags[i] = true;
  return flags;
}

/// The last node before `end` that reads i, or i itself.
int last_use_before(const Graph& graph, int i, int end) {
  int last = i;
  for (const int j : graph.users[i]) {
    if (j < end) last = j;
  }
  return last;
}

/// The forward stages of a collapsed model's schedule.
void fill_forward(const Graph& graph, int first_stage, const Flags& paged, Schedule& schedule) {
  const Flags kept = flags_of(schedule.stages[first_stage].resident, graph.size());
  for (int i = 0; i < first_stage; ++i) {
    int end = last_use_before(graph, i, first_stage);
    if (paged[i]) {
      end = std::max(end, i + 1);
      schedule.stages[i + 1].page_out.push_back(i);
    }
    if (kept[i]) end = first_stage - 1;
    for (int t = i + 1; t <= std::min(end, first_stage - 1); ++t) {
      schedule.stages[t].resident.push_back(i);
    }
  }
}

/// One stage of tidy(): given what t+1 finds resident, the cheapest computations of t.
class StageTidier {
 public:
  StageTidier(const Graph& graph, const Stage& stage, int t)
      : graph_(graph),
        resident_(flags_of(stage.resident, graph.size())),
        page_in_(flags_of(stage.page_in, graph.size())),
        page_out_(flags_of(stage.page_out, graph.size())),
        compute_(graph.size(), false),
        used_(graph.size(), false),
        t_(t) {}

  /// `next`: resident at t+1. `read_later`: paged in after t; updated. Sets `next` for t-1.
  Stage run(Flags& next, Flags& read_later) {
    Flags needed(graph_.size(), false);
    needed[t_] = true;
    for (int i = 0; i < t_; ++i) {
      page_in_[i] = page_in_[i] && next[i] && !resident_[i];
      needed[i] = next[i] && !resident_[i] && !page_in_[i];
    }
    for (int k = t_; k >= 0; --k) {
      if (!needed[k]) continue;
      compute_[k] = true;
      for (const int i : graph_.nodes[k].inputs) {
        used_[i] = true;
        if (!resident_[i]) needed[i] = true;
      }
    }
    for (int i = 0; i < t_; ++i) {
      page_in_[i] = page_in_[i] && !compute_[i];
      page_out_[i] = page_out_[i] && resident_[i] && read_later[i];
      resident_[i] = resident_[i] && (used_[i] || next[i] || page_out_[i]);
      read_later[i] = (read_later[i] || page_in_[i]) && !page_out_[i];
    }
    next = resident_;
    return {.resident = members(resident_),
            .compute = members(compute_),
            .page_out = members(page_out_),
            .page_in = members(page_in_)};
  }

 private:
  const Graph& graph_;
  Flags resident_;
  Flags page_in_;
  Flags page_out_;
  Flags compute_;
  Flags used_;
  int t_;
};

/// A copy lasts: what writes it again has no effect.
void drop_second_copies(Schedule& schedule, int size) {
  Flags stored(size, false);
  for (Stage& stage : schedule.stages) {
    std::erase_if(stage.page_out, [&](int i) { return stored[i]; });
    for (const int i : stage.page_out) stored[i] = true;
  }
}

}  // namespace

Schedule extract(const Formulation& model, const Graph& graph, std::span<const double> values) {
  Schedule schedule;
  schedule.stages.resize(graph.size());
  Flags paged(graph.size(), false);
  for (int t = model.scope.first_stage; t < graph.size(); ++t) {
    Stage& stage = schedule.stages[t];
    for (int i = 0; i < t; ++i) {
      if (holds(model.resident(t, i), values)) stage.resident.push_back(i);
      if (holds(model.page_out(t, i), values)) stage.page_out.push_back(i);
      if (!holds(model.page_in(t, i), values)) continue;
      stage.page_in.push_back(i);
      paged[i] = true;
    }
  }
  if (model.scope.collapsed()) {
    fill_forward(graph, model.scope.first_stage, paged, schedule);
    // A gradient that is paged: written in the stage after birth, as the forward tensors are.
    for (int i = model.scope.first_stage; i < graph.size(); ++i) {
      if (!paged[i]) continue;
      Stage& stage = schedule.stages[i + 1];
      stage.page_out.push_back(i);
      if (std::find(stage.resident.begin(), stage.resident.end(), i) == stage.resident.end()) {
        stage.resident.push_back(i);
      }
    }
  }
  return tidy(graph, std::move(schedule));
}

Schedule tidy(const Graph& graph, Schedule schedule) {
  drop_second_copies(schedule, graph.size());
  Schedule result;
  result.stages.resize(graph.size());
  Flags next(graph.size(), false);
  Flags read_later(graph.size(), false);
  for (int t = graph.size() - 1; t >= 0; --t) {
    result.stages[t] = StageTidier(graph, schedule.stages[t], t).run(next, read_later);
  }
  return result;
}

}  // namespace poet
