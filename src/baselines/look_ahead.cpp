// Swapping with a look-ahead: NNTrainer (Moon et al., "NNTrainer: Light-Weight On-Device Training
// Framework", 2022, and its proactive swap of 2023). The order of operators is known, so a tensor
// that none of the next k operators reads is written out, and one that is out is read back k
// operators before its use, so that the transfer is over by then. Nothing is computed twice.
//
// There k is a setting of the user. Here 0, 1, 2, 3, 4, 6, 8 and so on are tried, and the one of
// least energy within the budgets is taken: a large k moves less and holds more. An operator is a
// stage, and a tensor that is read back in stage t is there from stage t + 1 on, so that k = 0 is
// page-all.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "baselines/method.hpp"
#include "baselines/residency.hpp"

namespace poet {
namespace {

/// 0, 1, 2, 3, 4, 6, 8, 12, 16, ... up to the length of the program.
std::vector<int> look_aheads(int stages) {
  std::vector<int> list{0, 1};
  for (int power = 2; power < stages; power *= 2) {
    list.push_back(power);
    list.push_back(power + power / 2);
  }
  return list;
}

void swap_between_uses(const Graph& graph, int node, int ahead, Residency& residency) {
  bool is_swapped = false;
  int before = node;
  for (const int use : graph.users[node]) {
    const int first = std::max(before + 1, node + 2);  // its own stage cannot write it yet
    const int back = use - 1 - ahead;
    before = use;
    if (first > back) continue;
    residency.drop(node, first, back);
    residency.page_in[back].push_back(node);
    is_swapped = true;
  }
  if (is_swapped) residency.page_out[node + 1].push_back(node);
}

}  // namespace

Attempt look_ahead(const Problem& problem) {
  const Graph& graph = problem.graph;
  BestAttempt best(problem);
  for (const int ahead : look_aheads(graph.size())) {
    Residency residency = keep_everything(graph);
    for (int i = 0; i < graph.size(); ++i) {
      const Node& node = graph.nodes[i];
      if (node.page && node.bytes > 0) swap_between_uses(graph, i, ahead, residency);
    }
    best.offer(schedule_of(graph, residency), fmt::format("{} operators ahead", ahead));
  }
  return std::move(best).take("no tensor may be paged");
}

}  // namespace poet
