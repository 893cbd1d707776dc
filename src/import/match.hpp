#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "import/onnx_graph.hpp"

namespace poet {

// Small questions about the nodes of a pattern.

/// Whether a known number is this one, as far as a float can tell.
inline bool is_number(const OnnxGraph& graph, int tensor, double wanted) {
  if (tensor < 0) return false;
  const std::optional<double> number = graph.at(tensor).number();
  return number && std::fabs(*number - wanted) <= 1e-3 * std::fabs(wanted);
}

/// Known whole numbers of an input, or of an attribute in older files.
inline std::vector<std::int64_t> whole_numbers(const OnnxGraph& graph, const OnnxNode& node,
                                               std::size_t input, const char* key) {
  if (node.input(input) < 0) return node.integers(key);
  const auto& values = graph.at(node.input(input)).values;
  std::vector<std::int64_t> list;
  if (!values) return list;
  for (const double value : *values) list.push_back(whole_number(value));
  return list;
}

/// Whether all of these numbers are known to be this one. None at all are.
inline bool are_all(const OnnxGraph& graph, const OnnxNode& node, std::size_t input,
                    const char* key, std::int64_t wanted) {
  if (node.input(input) >= 0 && !graph.at(node.input(input)).values) return false;
  const std::vector<std::int64_t> list = whole_numbers(graph, node, input, key);
  return std::all_of(list.begin(), list.end(), [&](std::int64_t n) { return n == wanted; });
}

/// The other input of a node of two.
inline int other_input(const OnnxNode& node, int tensor) {
  return node.input(0) == tensor ? node.input(1) : node.input(0);
}

/// The data and the number of a product or sum of both, in this order; -1 for any other node.
inline std::pair<int, int> data_and_number(const OnnxGraph& graph, const OnnxNode& node) {
  const int a = node.input(0);
  const int b = node.input(1);
  if (a < 0 || b < 0) return {-1, -1};
  if (graph.at(b).number()) return {a, b};
  if (graph.at(a).number()) return {b, a};
  return {-1, -1};
}

/// The same for data and a weight.
inline std::pair<int, int> data_and_weight(const OnnxGraph& graph, const OnnxNode& node) {
  const int a = node.input(0);
  const int b = node.input(1);
  if (a < 0 || b < 0) return {-1, -1};
  if (graph.at(b).is_weight && graph.at(a).is_data()) return {a, b};
  if (graph.at(a).is_weight && graph.at(b).is_data()) return {b, a};
  return {-1, -1};
}

/// Puts a node in the place of the one that makes `output`. The others of the pattern are left to
/// remove_unread_nodes(). Returns it for its attributes.
inline OnnxNode& put_in_place(OnnxGraph& graph, const OnnxLinks& links, int output, std::string op,
                              std::string name, std::vector<int> inputs) {
  OnnxNode& node = graph.nodes.at(static_cast<std::size_t>(links.maker_index(output)));
  node = {.op = std::move(op),
          .name = std::move(name),
          .inputs = std::move(inputs),
          .outputs = {output}};
  return node;
}

}  // namespace poet
