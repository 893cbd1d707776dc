// What a training framework does by default, "checkpoint all" in Checkmate (Jain et al., MLSys
// 2020). It computes every node once and moves nothing, so no schedule needs less energy or less
// time: if its peak fits the RAM budget, it is the optimum, and if it does not, its energy is the
// constant part of everybody else's. The solver counts only what comes on top.

#include <algorithm>
#include <numeric>

#include "poet/problem.hpp"

namespace poet {
namespace {}  // namespace

// The peak is that of rule 5: an output is held together with all that is still needed, also by the
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
    std::erase_if(held, [&](int i) { return last_use(graph, i) <= t; });
    held_bytes = std::accumulate(held.begin(), held.end(), Bytes{0},
                                 [&](Bytes sum, int i) { return sum + graph.nodes[i].bytes; });
  }
  return base;
}

}  // namespace poet
