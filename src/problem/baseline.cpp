// What a training framework does by default, "checkpoint all" in Checkmate (Jain et al., MLSys
// 2020). It computes every node once and moves nothing, so no schedule needs less energy or less
// time: if its peak fits the RAM budget, it is the optimum, and if it does not, its energy is the
// constant part of everybody else's. The solver counts only what comes on top.

#include <algorithm>

#include "poet/problem.hpp"

namespace poet {
namespace {

/// Whether the tensor that the stage before k made is in RAM while k is computed although k does
/// not read it: a later stage reads it, and no stage after k may compute it. So it is kept, or
/// written out, which can begin in stage k at the earliest; and nothing in stage k reads it, so
/// that it stays to the end of the stage.
bool holds_previous(const Graph& graph, int k) {
  const int previous = k - 1;
  if (k == 0 || graph.last_stage[previous] > k || graph.users[previous].empty()) return false;
  const std::vector<int>& inputs = graph.nodes[k].inputs;
  return !std::binary_search(inputs.begin(), inputs.end(), previous);
}

}  // namespace

// The peak follows rule 5: an output is held together with all that is still needed, also by the
// computation that makes it, unless it takes over an input's RAM.
Baseline baseline(const Graph& graph) {
  Baseline base;
  std::vector<int> held;
  Bytes held_bytes = 0;
  for (int t = 0; t < graph.size(); ++t) {
    base.schedule.stages.push_back({.resident = held, .compute = {t}});
    const Node& node = graph.nodes[t];
    const bool takes_over = node.in_place && last_use(graph, *node.in_place) == t;
    const Bytes own = (takes_over ? 0 : node.bytes) + node.workspace_bytes;
    base.peak_ram_bytes = std::max(base.peak_ram_bytes, held_bytes + own);
    base.energy_joules += node.energy_joules;
    base.runtime_seconds += node.runtime_seconds;
    held.push_back(t);
    held_bytes += node.bytes;
    const auto free_used = [&](int i) {
      const auto place = std::lower_bound(held.begin(), held.end(), i);
      if (last_use(graph, i) > t || place == held.end() || *place != i) return;
      held.erase(place);
      held_bytes -= graph.nodes[i].bytes;
    };
    std::for_each(node.inputs.begin(), node.inputs.end(), free_used);
    free_used(t);
  }
  return base;
}

// The one lower bound on RAM that holds for every schedule: recomputed and paged or not, each
// node is computed at some time, and then its inputs and its output are in RAM together (rules 1
// and 5 of docs/schedule-format.md), less the input that the output takes over. It costs one pass
// over the edges and answers hopeless budgets without a solver. It is rarely the smallest workable
// budget: what has to be kept meanwhile comes on top, and only a search finds out how much
// (src/question/least_ram.cpp).

WorkingSet working_set(const Graph& graph) {
  WorkingSet largest;
  for (int k = 0; k < graph.size(); ++k) {
    const Node& node = graph.nodes[k];
    Bytes bytes = (node.in_place ? 0 : node.bytes) + node.workspace_bytes;
    for (const int i : node.inputs) bytes += graph.nodes[i].bytes;
    if (holds_previous(graph, k)) bytes += graph.nodes[k - 1].bytes;
    if (k == 0 || bytes > largest.bytes) largest = {.bytes = bytes, .node = k};
  }
  return largest;
}

}  // namespace poet
