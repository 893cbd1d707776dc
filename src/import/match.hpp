#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/onnx_graph.hpp"

namespace poet {

// Small questions about the nodes of a pattern.

inline std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The name of an op in names of nodes and layers; the ops of this program begin with a dot.
inline std::string name_of_op(const std::string& op) {
  return in_lower_case(op.substr(op.starts_with('.') ? 1 : 0));
}

/// Whether a number is this one, as far as a float and the digits of an exporter can tell.
inline bool is_near(double number, double wanted) {
  return std::fabs(number - wanted) <= 1e-5 * std::fabs(wanted);
}

inline bool is_number(const OnnxGraph& graph, int tensor, double wanted) {
  if (tensor < 0) return false;
  const std::optional<double> number = graph.at(tensor).number();
  return number && is_near(*number, wanted);
}

/// What is added to scores to hide them from a softmax: so much below the others, exp() is 0.
inline constexpr double kHides = -1000;
/// The same as a finite number of a layer.
inline constexpr double kHidden = -1e30;

/// Whether a tensor of known numbers is a mask: it hides some elements, and adds 0 to the others.
inline bool hides_some(const OnnxGraph& graph, int tensor) {
  const auto known = tensor < 0 ? std::nullopt : graph.at(tensor).known();
  return known && std::any_of(known->begin(), known->end(), [](double n) { return n <= kHides; }) &&
         std::all_of(known->begin(), known->end(), [](double n) { return n <= kHides || n == 0; });
}

/// Whether indices are one after the other.
inline bool are_neighbours(const std::vector<std::int64_t>& indices) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return !indices.empty() &&
         std::adjacent_find(indices.begin(), indices.end(), [](std::int64_t a, std::int64_t b) {
           return a == kMost || b != a + 1 || b == 0;
         }) == indices.end();
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
  const int second = node.input(1);
  return node.input(0) == tensor ? second : node.input(0);
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

/// The same for data and a weight, which may be in a Constant node.
inline std::pair<int, int> data_and_weight(const OnnxGraph& graph, const OnnxNode& node) {
  const int a = node.input(0);
  const int b = node.input(1);
  if (a < 0 || b < 0) return {-1, -1};
  if (!graph.at(b).is_data() && graph.at(a).is_data()) return {a, b};
  if (!graph.at(a).is_data() && graph.at(b).is_data()) return {b, a};
  return {-1, -1};
}

/// The same for data and known numbers, which may be computed from weights.
inline std::pair<int, int> data_and_known(const OnnxGraph& graph, const OnnxNode& node) {
  const int a = node.input(0);
  const int b = node.input(1);
  if (a < 0 || b < 0) return {-1, -1};
  if (graph.at(b).values && graph.at(a).is_data() && !graph.at(a).values) return {a, b};
  if (graph.at(a).values && graph.at(b).is_data() && !graph.at(b).values) return {b, a};
  return data_and_weight(graph, node);
}

/// The nodes that a pass takes for one layer. It is one only if all that they state has been looked
/// at.
class Pattern {
 public:
  Pattern(OnnxGraph& graph, const OnnxLinks& links) : graph_(graph), links_(links) {}

  /// Takes a node into the pattern; null stays null.
  const OnnxNode* take(const OnnxNode* node) {
    if (node != nullptr && std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) {
      node->forget();
      nodes_.push_back(node);
    }
    return node;
  }
  const OnnxNode* maker(int tensor, std::string_view op) { return take(links_.maker(tensor, op)); }
  const OnnxNode* only_reader(int tensor, std::string_view op) {
    return take(links_.only_reader(tensor, op));
  }

  /// Puts a node in the place of the one that makes `output`, and leaves the others of the pattern
  /// to remove_unread_nodes(). Returns it for its attributes; null, and all nodes as they are, if
  /// one of them states something that nobody looked at.
  OnnxNode* replace(int output, std::string op, std::string name, std::vector<int> inputs) {
    for (const OnnxNode* const node : nodes_) {
      if (!node->unread().empty()) return nullptr;
    }
    OnnxNode& node = graph_.nodes.at(static_cast<std::size_t>(links_.maker_index(output)));
    node = {.op = std::move(op),
            .name = std::move(name),
            .inputs = std::move(inputs),
            .outputs = {output}};
    return &node;
  }

 private:
  OnnxGraph& graph_;
  const OnnxLinks& links_;
  std::vector<const OnnxNode*> nodes_;
};

}  // namespace poet
