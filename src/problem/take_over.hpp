#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "poet/order.hpp"

namespace poet {

/// Which input a node takes over, of those that it may: the first whose last reader it is, else the
/// first. An input that other nodes read later can still be taken over, in a stage that computes
/// none of them; but the choice is made once for an order, so one that nobody needs afterwards
/// comes first. `last_reader` is by node.
inline std::optional<int> choose_in_place(std::span<const int> choices,
                                          std::span<const int> last_reader, int node) {
  for (const int input : choices) {
    if (last_reader[input] == node) return input;
  }
  return choices.empty() ? std::nullopt : std::optional(choices.front());
}

/// The nodes of a graph or a model in another order: inputs are renumbered and sorted, and each
/// node chooses anew which input it takes over. Operands keep their numbers.
template <typename N>
std::vector<N> in_order(const std::vector<N>& nodes, const NodeOrder& order) {
  const std::vector<int> place = places_of(order);
  std::vector<int> last_reader(nodes.size(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (const int input : nodes[k].inputs) {
      last_reader[place[input]] = std::max(last_reader[place[input]], place[k]);
    }
  }
  std::vector<N> ordered;
  ordered.reserve(nodes.size());
  for (const int from : order) {
    N node = nodes[from];
    for (int& input : node.inputs) input = place[input];
    std::sort(node.inputs.begin(), node.inputs.end());
    for (int& choice : node.in_place_choices) choice = place[choice];
    if (!node.in_place_choices.empty()) {
      node.in_place = choose_in_place(node.in_place_choices, last_reader, place[from]);
    } else if (node.in_place) {
      node.in_place = place[*node.in_place];
    }
    ordered.push_back(std::move(node));
  }
  return ordered;
}

}  // namespace poet
