// The one lower bound on RAM that holds for every schedule: whatever is recomputed or paged, each
// node is computed at some time, and then its inputs and its output are in RAM together (rules 1
// and 5 of docs/schedule-format.md). It costs one pass over the edges and answers hopeless budgets
// without a solver. It is rarely the smallest workable budget: what has to be kept meanwhile comes
// on top, and only a search finds out how much (src/sweep/find_min_ram.cpp).

#include "poet/problem.hpp"

namespace poet {

WorkingSet working_set(const Graph& graph) {
  WorkingSet largest;
  for (int k = 0; k < graph.size(); ++k) {
    Bytes bytes = graph.nodes[k].bytes;
    for (const int i : graph.nodes[k].inputs) bytes += graph.nodes[i].bytes;
    if (k == 0 || bytes > largest.bytes) largest = {.bytes = bytes, .node = k};
  }
  return largest;
}

}  // namespace poet
