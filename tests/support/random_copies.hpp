#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/order.hpp"
#include "solver/copies/copy_choices.hpp"
#include "support/random_graphs.hpp"

namespace poet::test {

/// A small step whose gradients may read copies of forward tensors: the graph of each set follows
/// from it as the rules of docs/copies.md say, by code of its own.
struct CopyStep {
  std::vector<Node> nodes;               ///< without copies
  std::vector<int> tensors;              ///< by candidate
  std::vector<Node> copies;              ///< by candidate, without inputs
  std::vector<std::vector<int>> takers;  ///< by candidate: gradients that may read the copy
};

/// The graph of a set: a node right behind each tensor, and what it takes over chosen anew.
inline Graph graph_of(const CopyStep& step, const CopySet& set) {
  std::vector<Node> nodes;
  std::vector<int> places;                          // by node without copies
  std::vector<int> copy_of(step.nodes.size(), -1);  // likewise
  for (int k = 0; k < static_cast<int>(step.nodes.size()); ++k) {
    Node node = step.nodes[k];
    const auto place_for = [&](int input) {
      const auto at = std::find(step.tensors.begin(), step.tensors.end(), input);
      const auto c = static_cast<std::size_t>(at - step.tensors.begin());
      if (c == step.tensors.size() || !set[c]) return places[input];
      const std::vector<int>& takers = step.takers[c];
      const bool takes = std::find(takers.begin(), takers.end(), k) != takers.end();
      return takes ? copy_of[input] : places[input];
    };
    for (int& input : node.inputs) input = place_for(input);
    std::vector<int> choices;
    for (const int input : node.in_place_choices) {
      if (place_for(input) == places[input]) choices.push_back(places[input]);
    }
    node.in_place_choices = choices;
    node.in_place.reset();
    if (!choices.empty()) node.in_place = choices.front();
    if (choices.size() < 2) node.in_place_choices.clear();
    places.push_back(static_cast<int>(nodes.size()));
    nodes.push_back(node);
    for (std::size_t c = 0; c < set.size(); ++c) {
      if (step.tensors[c] != k || !set[c]) continue;
      copy_of[k] = static_cast<int>(nodes.size());
      nodes.push_back(step.copies[c]);
      nodes.back().inputs = {places[k]};
    }
  }
  NodeOrder given(nodes.size());
  std::iota(given.begin(), given.end(), 0);
  return permuted(make_graph(std::move(nodes)), given);
}

inline CopyChoices choices_of(const CopyStep& step, const Limits& limits) {
  return {.tensors = step.tensors,
          .kinds = std::vector<int>(step.tensors.size(), 0),
          .problem_of = [&step, limits](const CopySet& set) {
            return Problem{.graph = graph_of(step, set), .limits = limits};
          }};
}

/// Half of the nodes are the forward pass, of which gradients read the most. A copy may have nearly
/// the size of its tensor.
inline CopyStep draw_copy_step(Random& random, int size, int candidates) {
  const auto one_in = [&](int count) { return random.below(count) == 0; };
  CopyStep step;
  const int forward = size / 2;
  for (int k = 0; k < size; ++k) {
    Node node = random_node(random, k);
    node.bytes = 16 * (1 + random.below(8));
    node.page_in_seconds = 0.3 * node.runtime_seconds * random.below(4);
    node.page_out_seconds = 0.2 * node.runtime_seconds * random.below(4);
    if (k > 0) node.inputs.push_back(k - 1);
    if (k > 1 && k < forward && one_in(3)) node.inputs.push_back(k - 2);
    if (k >= forward) {
      node.backward = true;
      node.inputs.push_back(std::min(k - 1, size - 1 - k));
      if (one_in(2)) node.inputs.push_back(random.below(forward));
      if (k + 1 == size) node.recompute = false;
    }
    std::sort(node.inputs.begin(), node.inputs.end());
    node.inputs.erase(std::unique(node.inputs.begin(), node.inputs.end()), node.inputs.end());
    if (one_in(5)) node.workspace_bytes = 16 * (1 + random.below(3));
    if (k > 0 && one_in(3)) {
      node.bytes = step.nodes[node.inputs[0]].bytes;
      for (const int input : node.inputs) {
        if (step.nodes[input].bytes == node.bytes) node.in_place_choices.push_back(input);
      }
    }
    step.nodes.push_back(std::move(node));
  }
  for (int k = 0; k < std::min(forward, candidates); ++k) {
    const Node& tensor = step.nodes[k];
    Node copy = random_node(random, 10 + k);
    copy.bytes = std::max<Bytes>(4, (one_in(4) ? tensor.bytes - 4 : tensor.bytes / 4));
    copy.energy_joules = 0.5 * tensor.energy_joules * random.uniform();
    copy.runtime_seconds = 0.1 * copy.energy_joules;
    step.tensors.push_back(k);
    step.copies.push_back(std::move(copy));
    step.takers.emplace_back();
    for (int user = forward; user < size; ++user) {
      const std::vector<int>& inputs = step.nodes[user].inputs;
      const bool reads = std::find(inputs.begin(), inputs.end(), k) != inputs.end();
      if (reads && !one_in(6)) step.takers.back().push_back(user);
    }
  }
  return step;
}

}  // namespace poet::test
