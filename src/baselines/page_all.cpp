// All tensors to secondary storage while nothing reads them: vDNN_all (Rhu et al., "vDNN:
// Virtualized Deep Neural Networks for Scalable, Memory-Efficient Neural Network Design", MICRO
// 2016, section 3.2), which writes the input of every layer during its forward pass and reads it
// back before its gradient. Nothing is computed twice.
//
// vDNN moves inputs of layers in the forward pass; here it is every tensor that may be paged and
// that no stage reads for long enough to be away. It is written in the stage after its own and, as
// in vDNN, read back in the stage before each use.

#include <algorithm>

#include "baselines/method.hpp"
#include "baselines/residency.hpp"

namespace poet {
namespace {

void page_whenever_idle(const Graph& graph, int node, Residency& residency) {
  bool is_paged = false;
  int before = node;
  for (const int use : graph.users[node]) {
    // The copy is written in stage node + 1, and what is read back in stage use - 1 is there when
    // stage `use` starts.
    const int first = std::max(before + 1, node + 2);
    before = use;
    if (first > use - 1) continue;
    residency.drop(node, first, use - 1);
    residency.page_in[use - 1].push_back(node);
    is_paged = true;
  }
  if (is_paged) residency.page_out[node + 1].push_back(node);
}

}  // namespace

Attempt page_all(const Problem& problem) {
  const Graph& graph = problem.graph;
  Residency residency = keep_everything(graph);
  for (int i = 0; i < graph.size(); ++i) {
    if (graph.nodes[i].page && graph.nodes[i].bytes > 0) page_whenever_idle(graph, i, residency);
  }
  return {.schedule = schedule_of(graph, residency), .reason = {}, .parameter = {}};
}

// Every node once, and every output until its last use: "checkpoint all" in Checkmate (Jain et al.,
// MLSys 2020, section 6.2), and what a framework does without any of these methods. Nothing is
// changed.

Attempt keep_all(const Problem& problem) {
  return {.schedule = baseline(problem.graph).schedule, .reason = {}, .parameter = {}};
}

}  // namespace poet
