#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "poet/problem.hpp"
#include "solver/search/position.hpp"
#include "support/graph_attributes.hpp"

namespace poet::test {

/// A training graph: forward layers with skips, then a backward chain in POET's manner.
inline Graph training_graph(const std::vector<Node>& forward) {
  std::vector<Node> nodes = forward;
  const int count = static_cast<int>(forward.size());
  for (int n = count - 1; n >= 1; --n) {
    Node gradient = forward[n];
    gradient.name = fmt::format("grad{}", n);
    gradient.energy_joules = 2 * forward[n - 1].energy_joules;
    gradient.runtime_seconds = 2 * forward[n - 1].runtime_seconds;
    gradient.inputs = {n - 1, n};
    if (n < count - 1) gradient.inputs.push_back(static_cast<int>(nodes.size()) - 1);
    gradient.backward = true;
    nodes.push_back(gradient);
  }
  return make_graph(std::move(nodes));
}

/// Costs over several orders of magnitude, sizes from a small set so that ties occur; some nodes
/// cost or weigh nothing.
inline Node random_node(Random& random, int index) {
  const auto energy = std::pow(10.0, 3 * random.uniform() - 2);
  const auto page = std::pow(10.0, 3 * random.uniform() - 2);
  return {.name = fmt::format("n{}", index),
          .op = "custom",
          .bytes = random.below(8) == 0 ? 0 : Bytes{1 + random.below(8)} * 16,
          .runtime_seconds = 0.1 * energy,
          .energy_joules = random.below(8) == 0 ? 0 : energy,
          .page_in_energy_joules = page,
          .page_out_energy_joules = page * (0.5 + random.uniform())};
}

/// Either forward layers with skips and their backward chain, or an arbitrary layered graph.
inline Graph random_graph(Random& random, int size) {
  const bool training = random.below(2) == 0;
  const int forward = training ? (size + 2) / 2 : size;
  std::vector<Node> nodes;
  for (int j = 0; j < forward; ++j) {
    Node node = random_node(random, j);
    if (j > 0) node.inputs.push_back(j - 1);
    if (j > 2 && random.below(3) == 0) node.inputs.push_back(random.below(j));
    nodes.push_back(std::move(node));
  }
  return training ? training_graph(nodes) : make_graph(std::move(nodes));
}

/// A random graph with a RAM budget between the working set and the baseline's peak, and a
/// runtime budget between one and three passes.
inline Problem random_problem(Random& random, int size) {
  Problem problem{.graph = random_graph(random, size)};
  const Baseline base = baseline(problem.graph);
  const Bytes low = working_set(problem.graph).bytes;
  const auto room = static_cast<double>(base.peak_ram_bytes - low);
  problem.limits.ram_budget_bytes = low + static_cast<Bytes>(random.uniform() * room);
  problem.limits.runtime_budget_seconds = base.runtime_seconds * (1 + 2 * random.uniform());
  return problem;
}

/// Forward layers with parameters, skips included, and for each of them the gradient of its input
/// and a fused update of its parameters.
inline std::vector<Node> exact_training_nodes(Random& random, int size) {
  const int layers = std::max(2, (size + 2) / 3);
  std::vector<Node> nodes;
  for (int j = 0; j < layers; ++j) {
    nodes.push_back(random_node(random, j));
    if (j == 0) continue;
    nodes[j].inputs.push_back(j - 1);
    if (j > 2 && random.below(3) == 0) nodes[j].inputs.push_back(random.below(j));
    nodes[j].reads_parameters = {fmt::format("weights{}", j)};
  }
  int gradient = layers - 1;  // of what the layer yields
  for (int j = layers - 1; j >= 1; --j) {
    Node input_gradient = random_node(random, static_cast<int>(nodes.size()));
    input_gradient.inputs = {gradient};
    if (random.below(2) == 0) input_gradient.inputs.push_back(j);
    input_gradient.reads_parameters = nodes[j].reads_parameters;
    Node update = random_node(random, static_cast<int>(nodes.size()) + 1);
    update.bytes = 0;
    update.inputs = {j - 1, gradient};
    update.recompute = false;
    update.writes_parameters = nodes[j].reads_parameters;
    input_gradient.backward = update.backward = true;
    gradient = static_cast<int>(nodes.size());
    nodes.push_back(std::move(input_gradient));
    nodes.push_back(std::move(update));
  }
  return nodes;
}

/// A graph with what POET's do not have, see with_attributes(): a training step in half of the
/// cases.
inline Graph random_exact_graph(Random& random, int size) {
  Graph graph = random.below(2) == 0 ? make_graph(exact_training_nodes(random, size))
                                     : random_graph(random, size);
  return with_attributes(std::move(graph), [&](int count) { return random.below(count); });
}

/// A random exact graph with budgets as in random_problem, any kind of paging time, and in a third
/// of the cases each a budget for secondary storage and for what is written to it.
inline Problem random_exact_problem(Random& random, int size) {
  Problem problem{.graph = random_exact_graph(random, size)};
  const Baseline base = baseline(problem.graph);
  const Bytes low = working_set(problem.graph).bytes;
  const auto room = static_cast<double>(base.peak_ram_bytes - low);
  Limits& limits = problem.limits;
  limits.ram_budget_bytes = low + static_cast<Bytes>(random.uniform() * room);
  limits.runtime_budget_seconds = base.runtime_seconds * (1 + 2 * random.uniform());
  limits.paging_time = static_cast<PagingTime>(random.below(3));
  Bytes all = 0;
  for (const Node& node : problem.graph.nodes) all += bytes_in_storage(node);
  const auto draw_share = [&] {
    return static_cast<Bytes>(0.5 * random.uniform() * static_cast<double>(all));
  };
  if (random.below(3) == 0) limits.storage.storage_budget_bytes = draw_share();
  if (random.below(3) == 0) limits.storage.page_out_budget_bytes = draw_share();
  return problem;
}

/// `layers` forward layers of equal size and cost with their backward chain; ample budgets.
inline Problem chain_problem(int layers, Bytes bytes) {
  std::vector<Node> nodes;
  for (int j = 0; j < layers; ++j) {
    Node node{.name = fmt::format("layer{}", j),
              .op = "custom",
              .bytes = bytes,
              .runtime_seconds = 1,
              .energy_joules = 1,
              .page_in_energy_joules = 0.2,
              .page_out_energy_joules = 0.2};
    if (j > 0) node.inputs.push_back(j - 1);
    nodes.push_back(std::move(node));
  }
  Problem problem{.graph = training_graph(nodes)};
  const Baseline base = baseline(problem.graph);
  problem.limits = {.ram_budget_bytes = base.peak_ram_bytes,
                    .runtime_budget_seconds = 10 * base.runtime_seconds};
  return problem;
}

}  // namespace poet::test
