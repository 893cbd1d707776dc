// What a stage of a plan computes, holds and costs, given what is resident at its two ends.

#include <algorithm>
#include <bit>
#include <optional>

#include "solver/search/plan.hpp"

namespace poet {
namespace {

/// The search may pass through plans that compute what must not be computed again, but they have to
/// look worse than any that overrun the RAM budget by a little.
Bytes penalty(const Problem& problem, int node) {
  return 1 + problem.graph.nodes[node].bytes + problem.limits.ram_budget_bytes / 16;
}

}  // namespace

void Plan::evaluate(int t) {
  close_computations(t);
  drop_redundant_page_ins(t);
  trim(t);
  Bytes held = 0;
  for (int w = 0; w < words_; ++w) held += bytes_of(resident_.row(t)[w], w);
  Bytes now = held;
  if (overlaps()) {
    for (int w = 0; w < words_; ++w) now += bytes_of(page_in_.row(t)[w], w);
    const Seconds own = problem_->graph.nodes[t].runtime_seconds;
    scratch_cost_.runtime = std::max(own + scratch_cost_.runtime, transfer_seconds(t)) - own;
  }
  Bytes peak = now;
  for (auto step = order_.rbegin(); step != order_.rend(); ++step) {
    now += problem_->graph.nodes[step->node].bytes;
    peak = std::max(peak, now + step->beside);
    now -= step->freed;
  }
  set_stage(t, held, peak, scratch_cost_);
}

Seconds Plan::transfer_seconds(int t) const {
  const std::vector<Node>& nodes = problem_->graph.nodes;
  Seconds sum = t > 0 && page_count_[t - 1] > 0 ? nodes[t - 1].page_out_seconds : 0;
  for_each_bit(page_in_.row_span(t), [&](int i) { sum += nodes[i].page_in_seconds; });
  return sum;
}

/// What no use in stage t frees: the residents of the next stage, and what is being written out
/// beside the computations.
const Word* Plan::find_stays(int t) {
  const Word* const next = resident_.row(t + 1);
  if (!overlaps() || t == 0 || page_count_[t - 1] == 0) return next;
  std::copy(next, next + words_, stays_.begin());
  stays_[(t - 1) / kWordBits] |= Word{1} << ((t - 1) % kWordBits);
  return stays_.data();
}

/// The bytes of the input whose RAM the output of k takes over, before the inputs of k count as
/// used.
Bytes Plan::taken_over(int k, const Word* stays) const {
  const std::optional<int> over = problem_->graph.nodes[k].in_place;
  if (!over) return 0;
  const int word = *over / kWordBits;
  const Word mask = Word{1} << (*over % kWordBits);
  const bool goes = (used_[word] & mask) == 0 && (stays[word] & mask) == 0;
  return goes ? problem_->graph.nodes[*over].bytes : 0;
}

/// Finds what stage t computes. The scan runs from the last candidate to the first, so a tensor is
/// first seen as an input at its last use: that frees it, unless t+1 keeps it.
void Plan::close_computations(int t) {
  const Word* const now = resident_.row(t);
  const Word* const next = resident_.row(t + 1);
  const Word* const stays = find_stays(t);
  const Word* const arriving = page_in_.row(t);
  order_.clear();
  scratch_cost_ = {};
  for (int w = 0; w < words_; ++w) {
    needed_[w] = next[w] & ~now[w] & ~arriving[w];
    used_[w] = 0;
  }
  needed_[t / kWordBits] |= Word{1} << (t % kWordBits);
  const int top = t / kWordBits;
  for (int w = top; w >= 0; --w) {
    Word computed = 0;
    for (Word open = needed_[w]; open != 0; open = needed_[w]) {
      const int bit = kWordBits - 1 - std::countl_zero(open);
      const int k = w * kWordBits + bit;
      needed_[w] &= ~(Word{1} << bit);
      computed |= Word{1} << bit;
      const Node& node = problem_->graph.nodes[k];
      const Word* const inputs = inputs_.row(k);
      const Bytes beside = node.workspace_bytes - taken_over(k, stays);
      Bytes freed = 0;
      for (int v = 0; v <= w; ++v) {
        const Word last_used = inputs[v] & ~used_[v];
        if (last_used == 0) continue;
        freed += bytes_of(last_used & ~stays[v], v);
        used_[v] |= last_used;
        needed_[v] |= last_used & ~now[v];
      }
      order_.push_back({.node = k, .freed = freed, .beside = beside});
      if (k == t) continue;
      scratch_cost_.energy += node.energy_joules;
      scratch_cost_.runtime += node.runtime_seconds;
      if (problem_->graph.last_stage[k] < t) scratch_cost_.forbidden += penalty(*problem_, k);
    }
    write(Field::compute, t, w, computed);
  }
}

/// Drops page-ins of tensors that stage t holds or computes anyway.
void Plan::drop_redundant_page_ins(int t) {
  for (int w = 0; w < words_; ++w) {
    Word redundant = page_in_.row(t)[w] & (resident_.row(t)[w] | compute_.row(t)[w]);
    if (redundant == 0) continue;
    write(Field::page_in, t, w, page_in_.row(t)[w] & ~redundant);
    for (; redundant != 0; redundant &= redundant - 1) {
      change_page_count(w * kWordBits + std::countr_zero(redundant), -1);
    }
  }
}

/// Frees the tensors that stage t neither uses nor hands on, in earlier stages already.
void Plan::trim(int t) {
  if (t == 0) return;
  for (int w = 0; w < words_; ++w) {
    Word idle = resident_.row(t)[w] & ~used_[w] & ~resident_.row(t + 1)[w];
    for (; idle != 0; idle &= idle - 1) {
      const Word mask = idle & -idle;
      const int i = w * kWordBits + std::countr_zero(idle);
      if (pinned(t, i)) continue;
      write(Field::resident, t, w, resident_.row(t)[w] & ~mask);
      mark_dirty(t - 1);
      if (page_in_.test(t - 1, i)) set_page_in(t - 1, i, false);
    }
  }
}

Bytes Plan::bytes_of(Word set, int word) const {
  Bytes sum = 0;
  for (; set != 0; set &= set - 1) {
    sum += problem_->graph.nodes[word * kWordBits + std::countr_zero(set)].bytes;
  }
  return sum;
}

}  // namespace poet
