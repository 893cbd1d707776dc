#include "solver/search/plan.hpp"

#include <algorithm>
#include <optional>

namespace poet {
namespace {

BitMatrix input_sets(const Graph& graph) {
  BitMatrix inputs(graph.size(), graph.size());
  for (int k = 0; k < graph.size(); ++k) {
    for (const int i : graph.nodes[k].inputs) inputs.set(k, i);
  }
  return inputs;
}

}  // namespace

Plan::Plan(const Problem& problem) : Plan(problem, baseline(problem.graph).schedule) {}

Plan::Plan(const Problem& problem, const Schedule& schedule)
    : problem_(&problem),
      size_(problem.graph.size()),
      inputs_(input_sets(problem.graph)),
      words_(inputs_.words()),
      resident_(size_ + 1, size_),
      page_in_(size_, size_),
      compute_(size_, size_),
      peak_(size_, 0),
      held_(size_, 0),
      cost_(size_),
      page_count_(size_, 0),
      storage_budget_(write_budget(problem.limits)),
      dirty_(size_, false),
      used_(words_, 0),
      needed_(words_, 0),
      stays_(words_, 0) {
  for (const Node& node : problem.graph.nodes) baseline_runtime_ += node.runtime_seconds;
  for (int t = 0; t < size_; ++t) {
    const Stage& stage = schedule.stages[t];
    for (const int i : stage.resident) resident_.set(t, i);
    for (const int i : stage.page_in) {
      page_in_.set(t, i);
      ++page_count_[i];
      // A plan pages out in the stage after birth, whatever the schedule did.
      resident_.set(i + 1, i);
    }
  }
  refresh();
  commit();
}

bool Plan::touched(int t, int i) const {
  if (compute_.test(t, i)) return true;
  const std::vector<int>& users = problem_->graph.users[i];
  return std::any_of(users.begin(), users.end(), [&](int k) { return compute_.test(t, k); });
}

Seconds Plan::overtime() const {
  const Seconds budget = problem_->limits.runtime_budget_seconds * (1 + kRuntimeSlack);
  return std::max(0.0, baseline_runtime_ + extra_runtime_ - budget);
}

void Plan::set_resident(int i, int first, int last, bool value) {
  const int word = i / kWordBits;
  const Word mask = Word{1} << (i % kWordBits);
  const Bytes bytes = problem_->graph.nodes[i].bytes;
  for (int t = first; t <= last; ++t) {
    const Word old = resident_.row(t)[word];
    const Word now = value ? old | mask : old & ~mask;
    if (old == now) continue;
    write(Field::resident, t, word, now);
    if (t < last) {
      const Bytes shift = value ? bytes : -bytes;
      set_stage(t, held_[t] + shift, peak_[t] + shift, cost_[t]);
    }
  }
  mark_dirty(first - 1);
  mark_dirty(last);
}

void Plan::set_page_in(int t, int i, bool value) {
  if (page_in_.test(t, i) == value) return;
  const int word = i / kWordBits;
  write(Field::page_in, t, word, page_in_.row(t)[word] ^ (Word{1} << (i % kWordBits)));
  change_page_count(i, value ? 1 : -1);
  mark_dirty(t);
}

void Plan::settle() {
  for (; highest_dirty_ >= 0; --highest_dirty_) {
    if (!dirty_[highest_dirty_]) continue;
    dirty_[highest_dirty_] = false;
    evaluate(highest_dirty_);
  }
}

void Plan::commit() {
  word_log_.clear();
  stage_log_.clear();
  count_log_.clear();
  saved_energy_ = extra_energy_;
  saved_runtime_ = extra_runtime_;
  saved_violation_ = violation_;
  saved_written_ = written_;
}

void Plan::rollback() {
  for (auto edit = word_log_.rbegin(); edit != word_log_.rend(); ++edit) {
    matrix(edit->field).row(0)[edit->index] = edit->old;
  }
  for (auto edit = stage_log_.rbegin(); edit != stage_log_.rend(); ++edit) {
    held_[edit->stage] = edit->held;
    peak_[edit->stage] = edit->peak;
    cost_[edit->stage] = edit->cost;
  }
  for (const auto& [i, delta] : count_log_) page_count_[i] -= delta;
  for (; highest_dirty_ >= 0; --highest_dirty_) dirty_[highest_dirty_] = false;
  extra_energy_ = saved_energy_;
  extra_runtime_ = saved_runtime_;
  violation_ = saved_violation_;
  written_ = saved_written_;
  commit();
}

void Plan::refresh() {
  for (int t = 0; t < size_; ++t) mark_dirty(t);
  settle();
  extra_energy_ = 0;
  extra_runtime_ = 0;
  violation_ = 0;
  written_ = 0;
  for (int t = 0; t < size_; ++t) {
    extra_energy_ += cost_[t].energy;
    extra_runtime_ += cost_[t].runtime;
    violation_ += violation_of(peak_[t], cost_[t]);
    if (page_count_[t] == 0) continue;
    const Node& node = problem_->graph.nodes[t];
    extra_energy_ += node.page_out_energy_joules + page_count_[t] * node.page_in_energy_joules;
    charge_transfers(t, 1, page_count_[t]);
  }
}

Schedule Plan::to_schedule() const {
  Schedule schedule;
  schedule.stages.resize(size_);
  for (int t = 0; t < size_; ++t) {
    Stage& stage = schedule.stages[t];
    for_each_bit(resident_.row_span(t), [&](int i) { stage.resident.push_back(i); });
    for_each_bit(compute_.row_span(t), [&](int i) { stage.compute.push_back(i); });
    for_each_bit(page_in_.row_span(t), [&](int i) { stage.page_in.push_back(i); });
    if (t > 0 && page_count_[t - 1] > 0) stage.page_out.push_back(t - 1);
  }
  return schedule;
}

BitMatrix& Plan::matrix(Field field) {
  switch (field) {
    case Field::resident:
      return resident_;
    case Field::page_in:
      return page_in_;
    case Field::compute:
      break;
  }
  return compute_;
}

void Plan::write(Field field, int row, int word, Word value) {
  Word& cell = matrix(field).row(row)[word];
  if (cell == value) return;
  word_log_.push_back({field, static_cast<std::size_t>(row) * words_ + word, cell});
  cell = value;
}

void Plan::change_page_count(int i, int delta) {
  const Node& node = problem_->graph.nodes[i];
  const bool was_paged = page_count_[i] > 0;
  page_count_[i] += delta;
  count_log_.emplace_back(i, delta);
  extra_energy_ += delta * node.page_in_energy_joules;
  const bool is_paged = page_count_[i] > 0;
  charge_transfers(i, (is_paged ? 1 : 0) - (was_paged ? 1 : 0), delta);
  if (was_paged == is_paged) return;
  extra_energy_ += is_paged ? node.page_out_energy_joules : -node.page_out_energy_joules;
  // No longer pinned, it may be trimmed there; and a transfer takes time and RAM from its stage.
  if (!is_paged || overlaps()) mark_dirty(i + 1);
}

/// Counts the bytes and the time of so many transfers of a tensor; fewer than none take them off.
void Plan::charge_transfers(int i, int outs, int ins) {
  const Node& node = problem_->graph.nodes[i];
  written_ += outs * bytes_in_storage(node);
  if (problem_->limits.paging_time != PagingTime::blocking) return;
  extra_runtime_ += outs * node.page_out_seconds + ins * node.page_in_seconds;
}

void Plan::set_stage(int t, Bytes held, Bytes peak, StageCost cost) {
  stage_log_.push_back({t, peak_[t], held_[t], cost_[t]});
  violation_ += violation_of(peak, cost) - violation_of(peak_[t], cost_[t]);
  extra_energy_ += cost.energy - cost_[t].energy;
  extra_runtime_ += cost.runtime - cost_[t].runtime;
  held_[t] = held;
  peak_[t] = peak;
  cost_[t] = cost;
}

void Plan::mark_dirty(int t) {
  if (t < 0 || t >= size_) return;
  dirty_[t] = true;
  highest_dirty_ = std::max(highest_dirty_, t);
}

Bytes Plan::violation_of(Bytes peak, const StageCost& cost) const {
  return std::max(Bytes{0}, peak - problem_->limits.ram_budget_bytes) + cost.forbidden;
}

}  // namespace poet
