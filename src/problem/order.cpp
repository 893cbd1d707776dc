// The order in which a file lists its nodes is one of many. Each node computes the same function of
// the same values in every order that keeps the edges and, of what changes during the step, reads
// before writes and writes in turn; so every legal order trains the same network, to the last bit.

#include "poet/order.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "problem/parameter_order.hpp"
#include "problem/take_over.hpp"

namespace poet {
namespace {

/// Throws InputError for the first pair that is the wrong way round.
void expect_before(const Graph& graph, const std::vector<int>& place, int first, int second,
                   std::string_view why) {
  if (place[first] < place[second]) return;
  throw InputError(fmt::format("node {} ('{}') comes before node {} ('{}'), {}; expected it after",
                               second, graph.nodes[second].name, first, graph.nodes[first].name,
                               why));
}

/// Throws InputError unless a list has each index below its length, or below `size`, once.
void expect_each_once(const NodeOrder& order, std::size_t size) {
  std::vector<bool> is_there(size, false);
  for (const int node : order) {
    if (node < 0 || static_cast<std::size_t>(node) >= size) {
      throw InputError(fmt::format("found node {} in an order; expected 0 to {}", node, size - 1));
    }
    if (is_there[node]) {
      throw InputError(
          fmt::format("found node {} twice in an order; expected each node once", node));
    }
    is_there[node] = true;
  }
  if (order.size() == size) return;
  throw InputError(
      fmt::format("found an order of {} nodes; expected each of {}", order.size(), size));
}

}  // namespace

Precedence precedence(const Graph& graph) {
  ParameterOrder parameters;
  for (int k = 0; k < graph.size(); ++k) {
    parameters.change(k, graph.nodes[k].writes_parameters);
    parameters.read(k, graph.nodes[k].reads_parameters);
  }
  return std::move(parameters.pairs);
}

void check_order(const Graph& graph, const Precedence& precedence, const NodeOrder& order) {
  expect_each_once(order, graph.nodes.size());
  const std::vector<int> place = places_of(order);
  for (int k = 0; k < graph.size(); ++k) {
    for (const int input : graph.nodes[k].inputs) {
      expect_before(graph, place, input, k, "which it reads");
    }
  }
  for (const auto& [first, second] : precedence) {
    expect_before(graph, place, first, second, "which reads or changes parameters before it does");
  }
}

bool is_legal(const Graph& graph, const Precedence& precedence, const NodeOrder& order) {
  try {
    check_order(graph, precedence, order);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::vector<int> places_of(const NodeOrder& order) {
  std::vector<int> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[order[p]] = static_cast<int>(p);
  return place;
}

NodeOrder inverse(const NodeOrder& order) {
  expect_each_once(order, order.size());
  return places_of(order);
}

Graph permuted(const Graph& graph, const NodeOrder& order) {
  return make_graph(in_order(graph.nodes, order));
}

}  // namespace poet
