#pragma once

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/position.hpp"

namespace poet::test {

/// How many recomputations the schedule neither uses nor hands on in their stage.
inline int count_idle_recomputations(const Graph& graph, const Schedule& schedule) {
  const auto has = [](const std::vector<int>& nodes, int i) {
    return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
  };
  int count = 0;
  for (int t = 0; t + 1 < graph.size(); ++t) {
    const Stage& stage = schedule.stages[t];
    for (const int j : stage.compute) {
      const bool used = std::any_of(graph.users[j].begin(), graph.users[j].end(),
                                    [&](int user) { return has(stage.compute, user); });
      if (j != t && !used && !has(schedule.stages[t + 1].resident, j)) ++count;
    }
  }
  return count;
}

/// A problem in which a recomputation that its stage neither uses nor keeps can be worth its
/// energy. A large tensor is dear to compute and cheap to page. The stage after it has no room to
/// write it, so it is written after it has been computed again for a reader, beside another stage
/// that needs the room, in which cheap readers, and readers of readers, can free it. 6 to 8 nodes.
inline Problem idle_problem(poet::Random& random) {
  enum class Kind { source, large, crowded, reader, light, last };
  std::vector<Kind> kinds;
  if (random.below(4) != 0) kinds.push_back(Kind::source);
  const int large = static_cast<int>(kinds.size());
  kinds.push_back(Kind::large);
  kinds.push_back(Kind::crowded);
  kinds.push_back(Kind::reader);
  if (random.below(2) == 0) kinds.push_back(Kind::reader);
  kinds.push_back(Kind::crowded);
  if (kinds.size() < 7 && random.below(2) == 0) {
    kinds.push_back(random.below(2) == 0 ? Kind::crowded : Kind::light);
  }
  kinds.push_back(Kind::last);

  const auto cheap = [&] { return 0.5 * (1 + random.below(4)); };
  std::vector<Node> nodes;
  std::vector<int> readers;
  for (const Kind kind : kinds) {
    const int i = static_cast<int>(nodes.size());
    Node node{.name = fmt::format("n{}", i),
              .op = "custom",
              .bytes = 1 + random.below(2),
              .runtime_seconds = 0.5 * (1 + random.below(3)),
              .energy_joules = cheap(),
              .page_in_energy_joules = cheap(),
              .page_out_energy_joules = cheap()};
    if (large == 1 && i > 0) node.inputs = {0};
    switch (kind) {
      case Kind::source:
        node.page = random.below(3) == 0;
        break;
      case Kind::large:
        node.bytes = 8 + random.below(4);
        node.energy_joules = 20 + random.below(100);
        break;
      case Kind::crowded:
        node.bytes = 8 + random.below(4);
        break;
      case Kind::reader: {
        const bool of_reader = !readers.empty() && random.below(2) == 0;
        node.inputs = {of_reader ? readers.back() : large};
        if (random.below(4) == 0) node.inputs.push_back(random.below(i));
        if (random.below(3) == 0) node.bytes = 3 + random.below(3);
        if (random.below(6) == 0) {
          node.in_place = node.inputs[0];
          node.bytes = nodes[*node.in_place].bytes;
        }
        readers.push_back(i);
        break;
      }
      case Kind::light:
        break;
      case Kind::last:
        node.inputs = {large};
        if (random.below(4) == 0) node.inputs.push_back(readers.back());
        break;
    }
    if (random.below(16) == 0) node.recompute = false;
    node.page_in_seconds = random.below(3) * 0.25;
    node.page_out_seconds = random.below(3) * 0.25;
    nodes.push_back(std::move(node));
  }
  Problem problem{.graph = make_graph(std::move(nodes))};
  const Baseline base = baseline(problem.graph);
  const Bytes low = working_set(problem.graph).bytes;
  problem.limits.ram_budget_bytes = std::min(low + random.below(3), base.peak_ram_bytes - 1);
  problem.limits.runtime_budget_seconds = base.runtime_seconds * (1 + 0.5 * random.below(6));
  problem.limits.paging_time = static_cast<PagingTime>(random.below(12) == 0  ? 2
                                                       : random.below(3) == 0 ? 1
                                                                              : 0);
  if (random.below(2) == 0) return problem;
  // Later than the large tensor, which is often kept for the backward pass.
  std::vector<Node> with_backward = problem.graph.nodes;
  const int size = problem.graph.size();
  const int first = large + 1 + random.below(size - large - 1);
  for (int i = first; i < size; ++i) with_backward[i].backward = true;
  problem.graph = make_graph(std::move(with_backward));
  return problem;
}

}  // namespace poet::test
