#include "solver/formulation/schedule_of_point.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace poet {
namespace {

using Flags = std::vector<bool>;

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

/// Fills in the forward stages of a collapsed model's schedule.
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

/// One stage of tidy(). Going from the last stage to the first, the tensors that t+1 finds resident
/// are known, and so are the cheapest computations of t. Solutions within a gap, and forward stages
/// that were filled in by rule, contain work that serves nothing; this removes it, so the replay
/// costs no more than the solver's own figure.
class StageTidier {
 public:
  StageTidier(const Graph& graph, const Stage& stage, int t)
      : graph_(graph),
        resident_(flags_of(stage.resident, graph.size())),
        page_in_(flags_of(stage.page_in, graph.size())),
        page_out_(flags_of(stage.page_out, graph.size())),
        recomputed_(flags_of(stage.compute, graph.size())),
        compute_(graph.size(), false),
        used_(graph.size(), false),
        t_(t) {}

  /// `next` is resident at t+1, `read_later` is paged in after t. Sets both for t-1. With
  /// `idle_frees`, a use frees what is written out, so that idle recomputations stay.
  Stage run(Flags& next, Flags& read_later, bool idle_frees) {
    for (int i = 0; i < t_; ++i) {
      page_in_[i] = page_in_[i] && next[i] && !resident_[i];
      page_out_[i] = page_out_[i] && resident_[i] && read_later[i];
      compute_[i] = next[i] && !resident_[i] && !page_in_[i];
    }
    compute_[t_] = true;
    add_inputs();
    if (idle_frees && keep_idle_recomputations(next)) add_inputs();
    for (int i = 0; i < t_; ++i) {
      page_in_[i] = page_in_[i] && !compute_[i];
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
  /// Computes what the computations read and RAM lacks.
  void add_inputs() {
    for (int k = t_; k >= 0; --k) {
      if (!compute_[k]) continue;
      for (const int i : graph_.nodes[k].inputs) {
        used_[i] = true;
        if (!resident_[i]) compute_[i] = true;
      }
    }
  }

  /// Keeps idle recomputations that free what is written out and what no other computation frees,
  /// or the output of another idle recomputation. Returns whether there are any.
  bool keep_idle_recomputations(const Flags& next) {
    Flags lasting(graph_.size(), false);  // to the end of the stage, unless a computation frees it
    for (int i = 0; i < t_; ++i) lasting[i] = page_out_[i] && !used_[i] && !next[i];
    bool any = false;
    for (int k = 0; k < t_; ++k) {
      const std::vector<int>& inputs = graph_.nodes[k].inputs;
      const auto lasts = [&](int i) { return lasting[i]; };
      const bool idle = recomputed_[k] && !compute_[k] && !resident_[k];
      if (!idle || std::none_of(inputs.begin(), inputs.end(), lasts)) continue;
      for (const int i : inputs) lasting[i] = false;
      lasting[k] = compute_[k] = any = true;
    }
    return any;
  }

  const Graph& graph_;
  Flags resident_;
  Flags page_in_;
  Flags page_out_;
  Flags recomputed_;  // before
  Flags compute_;
  Flags used_;
  int t_;
};

/// Makes each page-out in the first stage that can make it: the tensor takes no more RAM for that,
/// and need not be held in a later stage for no other reason.
void advance_page_outs(const Graph& graph, Schedule& schedule) {
  for (int t = graph.size() - 1; t > 0; --t) {
    const Flags before = flags_of(schedule.stages[t - 1].resident, graph.size());
    std::vector<int>& writes = schedule.stages[t].page_out;
    std::vector<int>& earlier = schedule.stages[t - 1].page_out;
    std::copy_if(writes.begin(), writes.end(), std::back_inserter(earlier),
                 [&](int i) { return before[i]; });
    std::erase_if(writes, [&](int i) { return before[i]; });
  }
}

/// A copy lasts, so writing it again has no effect.
void drop_second_copies(Schedule& schedule, int size) {
  Flags stored(size, false);
  for (Stage& stage : schedule.stages) {
    std::erase_if(stage.page_out, [&](int i) { return stored[i]; });
    for (const int i : stage.page_out) stored[i] = true;
  }
}

/// Drops tensors that are held for no use, and page-ins of which nothing is left. Goes from the
/// last stage to the first, as what a stage holds may serve only the next one.
void drop_unused(const Graph& graph, Schedule& schedule) {
  Flags next(graph.size(), false);
  for (int t = graph.size() - 1; t >= 0; --t) {
    Stage& stage = schedule.stages[t];
    Flags needed = flags_of(stage.page_out, graph.size());
    for (const int k : stage.compute) {
      for (const int i : graph.nodes[k].inputs) needed[i] = true;
    }
    std::erase_if(stage.page_in, [&](int i) { return !next[i]; });
    std::erase_if(stage.resident, [&](int i) { return !needed[i] && !next[i]; });
    next = flags_of(stage.resident, graph.size());
  }
}

bool contains(const std::vector<int>& nodes, int i) {
  return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
}

class PointOfSchedule {
 public:
  PointOfSchedule(const Formulation& model, const Schedule& schedule)
      : model_(model), schedule_(schedule), values_(model.milp.columns.size(), 0.0) {}

  std::vector<double> run() {
    const int first = model_.windows.first_stage;
    for (int i = 0; i < model_.size(); ++i) {
      const int written = page_out_stage(i);
      for (int t = first; t < model_.size(); ++t) {
        if (i < t) fill(t, i, written);
        if (contains(schedule_.stages[t].page_in, i)) set(model_.paged[i], true);
      }
    }
    return std::move(values_);
  }

 private:
  void set(const BinaryExpression& expression, bool value) {
    if (!expression.is_constant()) values_[expression.columns[0]] = value ? 1 : 0;
  }

  bool resident(int t, int i) const { return contains(schedule_.stages[t].resident, i); }

  /// The stage that writes i out first, or that could, as it holds i until then: the one that the
  /// model knows. Else the number of stages.
  int page_out_stage(int i) const {
    int stage = 0;
    while (stage < model_.size() && !contains(schedule_.stages[stage].page_out, i)) ++stage;
    if (stage == model_.size() || model_.overlapped()) return stage;
    const auto holds_from_start = [&](int t) {
      return resident(t, i) && !contains(schedule_.stages[t].page_in, i);
    };
    while (stage > i + 1 && holds_from_start(stage - 1)) --stage;
    return stage;
  }

  void fill(int t, int i, int written) {
    const Stage& stage = schedule_.stages[t];
    const bool computed = contains(stage.compute, i);
    const bool arrived =
        t > model_.windows.first_stage && contains(schedule_.stages[t - 1].page_in, i);
    set(model_.carried(t, i), resident(t, i) && !arrived);
    set(model_.compute(t, i), computed);
    set(model_.page_in(t, i), contains(stage.page_in, i));
    set(model_.page_out(t, i), t == written);
    set(model_.stored(t, i), t > written);
    if (resident(t, i) || computed) fill_chain(t, i, t == written);
  }

  /// Rule 5: held until the last user that the stage computes; held to the end of the stage if the
  /// next one has it without a page-in, if no user frees it, or while it is written out beside the
  /// computations.
  void fill_chain(int t, int i, bool written) {
    const Stage& stage = schedule_.stages[t];
    const HoldingChain& chain = model_.chains[t][i];
    const auto used = [&](int j) { return contains(stage.compute, j); };
    const bool last_stage = t + 1 == model_.size();
    const bool next =
        !last_stage && contains(schedule_.stages[t + 1].resident, i) && !contains(stage.page_in, i);
    const bool stays = next || (model_.overlapped() && written);
    bool held = stays || std::none_of(chain.users.begin(), chain.users.end(), used);
    if (!chain.users.empty() &&
        (!model_.page_out(t, i).is_zero() || model_.windows.idle_recompute[t][i])) {
      set(chain.at_end, held);
      if (model_.overlapped()) set(chain.after_own, stays);
    }
    for (std::size_t q = chain.users.size(); q-- > 1;) {
      held = held || used(chain.users[q]);
      set(chain.held[q], held);
    }
  }

  const Formulation& model_;
  const Schedule& schedule_;
  std::vector<double> values_;
};

}  // namespace

Schedule schedule_of_point(const Formulation& model, const Graph& graph,
                           std::span<const double> values) {
  Schedule schedule;
  schedule.stages.resize(graph.size());
  Flags paged(graph.size(), false);
  for (int t = model.windows.first_stage; t < graph.size(); ++t) {
    Stage& stage = schedule.stages[t];
    for (int i = 0; i < t; ++i) {
      if (holds(model.resident(t, i), values)) stage.resident.push_back(i);
      if (holds(model.compute(t, i), values)) stage.compute.push_back(i);
      if (holds(model.page_out(t, i), values)) stage.page_out.push_back(i);
      if (!holds(model.page_in(t, i), values)) continue;
      stage.page_in.push_back(i);
      paged[i] = true;
    }
  }
  if (model.windows.collapsed()) {
    fill_forward(graph, model.windows.first_stage, paged, schedule);
    // A paged gradient is written in the stage after birth, like the forward tensors.
    for (int i = model.windows.first_stage; i < graph.size(); ++i) {
      if (!paged[i]) continue;
      Stage& stage = schedule.stages[i + 1];
      stage.page_out.push_back(i);
      if (std::find(stage.resident.begin(), stage.resident.end(), i) == stage.resident.end()) {
        stage.resident.push_back(i);
      }
    }
  }
  return tidy(graph, model.paging_time, std::move(schedule));
}

Schedule literal_schedule(const Formulation& model, const Graph& graph,
                          std::span<const double> values) {
  Schedule schedule;
  schedule.stages.resize(model.size());
  for (int t = 0; t < model.size(); ++t) {
    Stage& stage = schedule.stages[t];
    for (int i = 0; i <= t; ++i) {
      if (holds(model.compute(t, i), values)) stage.compute.push_back(i);
      if (i == t) continue;
      if (holds(model.resident(t, i), values)) stage.resident.push_back(i);
      if (holds(model.page_out(t, i), values)) stage.page_out.push_back(i);
      if (holds(model.page_in(t, i), values)) stage.page_in.push_back(i);
    }
  }
  drop_unused(graph, schedule);
  return schedule;
}

Schedule tidy(const Graph& graph, PagingTime paging_time, Schedule schedule) {
  const bool beside = paging_time == PagingTime::overlapped;
  if (!beside) advance_page_outs(graph, schedule);
  drop_second_copies(schedule, graph.size());
  Schedule result;
  result.stages.resize(graph.size());
  Flags next(graph.size(), false);
  Flags read_later(graph.size(), false);
  for (int t = graph.size() - 1; t >= 0; --t) {
    result.stages[t] = StageTidier(graph, schedule.stages[t], t).run(next, read_later, !beside);
  }
  return result;
}

std::vector<double> point_of_schedule(const Formulation& model, const Schedule& schedule) {
  return PointOfSchedule(model, schedule).run();
}

}  // namespace poet
