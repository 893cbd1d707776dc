#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"

namespace poet::test {

/// Repeats on every machine. `Random` of the solver is another generator, with draws of its own.
using Twister = std::mt19937_64;

/// A whole number in [low, high]. The standard distributions differ between libraries; a seed
/// printed on one machine has to mean the same on another.
inline int draw(Twister& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

inline bool chance(Twister& random, int percent) {
  return draw(random, 1, 100) <= percent;
}

template <typename List>
auto pick(Twister& random, const List& list) {
  return list[draw(random, 0, static_cast<int>(list.size()) - 1)];
}

/// 4 to 16 nodes; each one after the first reads one to three earlier ones. No cost is zero.
inline Graph random_graph(Twister& random) {
  std::vector<Node> nodes(draw(random, 4, 16));
  for (int j = 0; j < static_cast<int>(nodes.size()); ++j) {
    nodes[j] = {.name = fmt::format("n{}", j),
                .bytes = draw(random, 1, 1000),
                .runtime_seconds = draw(random, 1, 1000) / 7.0,
                .energy_joules = draw(random, 1, 1000) / 3.0,
                .page_in_energy_joules = draw(random, 1, 1000) / 11.0,
                .page_out_energy_joules = draw(random, 1, 1000) / 13.0,
                .backward = 2 * j >= static_cast<int>(nodes.size())};
    if (j == 0) continue;
    for (int edges = draw(random, 1, 3); edges > 0; --edges) {
      nodes[j].inputs.push_back(draw(random, std::max(0, j - 6), j - 1));
    }
  }
  return make_graph(nodes);
}

/// How much of each technique a random schedule uses, in percent.
struct Habits {
  int drop = 0;      ///< of the tensors held, those not kept for the next stage
  int page_out = 0;  ///< of the residents
  int page_in = 0;   ///< of the copies that could be read back
};

/// Adds to `compute` what `node` needs and RAM lacks.
inline void compute_with_inputs(const Graph& graph, int node, const std::set<int>& resident,
                                std::set<int>& compute) {
  if (resident.contains(node) || !compute.insert(node).second) return;
  for (const int input : graph.nodes[node].inputs) {
    compute_with_inputs(graph, input, resident, compute);
  }
}

/// A schedule that keeps the rules by construction: what a computation lacks is recomputed, what
/// is paged in has a copy and stays for the next stage. What may not be paged or computed at any
/// time stays for good.
inline Schedule random_schedule(Twister& random, const Graph& graph, const Habits& habits) {
  Schedule schedule;
  std::set<int> resident;
  std::set<int> stored;
  const auto stays = [&](int node) { return graph.last_stage[node] + 1 < graph.size(); };
  for (int t = 0; t < graph.size(); ++t) {
    std::set<int> compute;
    compute_with_inputs(graph, t, resident, compute);
    Stage stage = {.resident = {resident.begin(), resident.end()},
                   .compute = {compute.begin(), compute.end()}};
    std::set<int> next;
    for (const int node : stored) {
      const bool absent = !resident.contains(node) && !compute.contains(node);
      if (!absent || t + 1 == graph.size() || !chance(random, habits.page_in)) continue;
      stage.page_in.push_back(node);
      next.insert(node);
    }
    for (const int node : stage.resident) {
      if (graph.nodes[node].page && chance(random, habits.page_out)) stage.page_out.push_back(node);
      if (stays(node) || !chance(random, habits.drop)) next.insert(node);
    }
    for (const int node : stage.compute) {
      if (stays(node) || !chance(random, habits.drop)) next.insert(node);
    }
    stored.insert(stage.page_out.begin(), stage.page_out.end());
    resident = next;
    schedule.stages.push_back(stage);
  }
  return schedule;
}

/// A schedule together with the tightest limits that it keeps to.
struct Case {
  Graph graph;
  Schedule schedule;
  Limits limits;
};

inline Case random_case(Twister& random) {
  const Habits habits[] = {{},
                           {.drop = 30},
                           {.drop = 60},
                           {.drop = 30, .page_out = 30, .page_in = 50},
                           {.drop = 70, .page_out = 60, .page_in = 30}};
  Case made = {.graph = random_graph(random)};
  made.schedule = random_schedule(random, made.graph, habits[draw(random, 0, 4)]);
  const Replay replay = simulate(made.graph, made.schedule, {});
  made.limits = {.ram_budget_bytes = replay.peak_ram_bytes,
                 .runtime_budget_seconds = replay.runtime_seconds};
  return made;
}

/// Puts a node into one of a stage's lists, or takes it out of it.
inline void edit(Twister& random, Schedule& schedule) {
  const int last = static_cast<int>(schedule.stages.size()) - 1;
  Stage& stage = schedule.stages[draw(random, 0, last)];
  std::vector<int>* const lists[] = {&stage.resident, &stage.compute, &stage.page_out,
                                     &stage.page_in};
  std::vector<int>& list = *lists[draw(random, 0, 3)];
  const int node = draw(random, 0, last);
  const auto place = std::lower_bound(list.begin(), list.end(), node);
  if (place != list.end() && *place == node) {
    list.erase(place);
  } else {
    list.insert(place, node);
  }
}

}  // namespace poet::test
