#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "import/onnx_graph.hpp"

namespace poet {

/// Nodes that together compute what one node does, in its place and under its name.
class GraphBuilder {
 public:
  using Attributes = std::vector<std::pair<std::string, OnnxAttribute>>;

  GraphBuilder(OnnxGraph& graph, const OnnxNode& node);

  const OnnxGraph& graph() const { return graph_; }
  const OnnxNode& node() const { return node_; }
  Shape shape(int tensor) const { return graph_.at(tensor).shape; }

  /// Known numbers that do not train.
  int constant(Shape shape, std::vector<double> values);
  int number(double value) { return constant({}, {value}); }
  /// Whole numbers, such as axes.
  int list(const std::vector<std::int64_t>& numbers) {
    return constant({static_cast<std::int64_t>(numbers.size())}, {numbers.begin(), numbers.end()});
  }
  /// A part of a tensor along an axis.
  int slice(int tensor, std::size_t axis, std::int64_t start, std::int64_t size);
  /// A tensor whose axis has changed places with the last one.
  int swapped(int tensor, std::size_t axis);
  /// A weight in this shape; -1 stays -1.
  int in_shape(int weight, const Shape& shape);
  /// A node, and the tensor that it makes.
  int add(const std::string& op, std::vector<int> inputs, Shape shape,
          const Attributes& attributes = {});
  /// The same with the shape of a tensor.
  int add_like(int like, const std::string& op, std::vector<int> inputs,
               const Attributes& attributes = {}) {
    return add(op, std::move(inputs), shape(like), attributes);
  }
  /// Takes back what was added.
  void give_up() { nodes_.clear(); }
  /// Lets the last node make the output of the node, and the one of the same op, or else the last
  /// one, have its name. Returns the nodes; none if the node states
  /// what nobody asked for.
  std::vector<OnnxNode> take();
  /// What it states so, as words of a message.
  const std::string& fault() const { return fault_; }

 private:
  OnnxGraph& graph_;
  const OnnxNode node_;
  std::string name_;  ///< of the nodes, without the op of the one that they stand for
  std::vector<OnnxNode> nodes_;
  std::string fault_;
};

/// The shape of both after broadcasting.
Shape broadcast_shape(const Shape& a, const Shape& b);

OnnxAttribute integer_of(std::int64_t value);
OnnxAttribute number_of(double value);
OnnxAttribute list_of(std::vector<std::int64_t> list);

/// Replaces nodes: `lower` adds the nodes that stand for one to its builder, or none if the node
/// stays.
template <typename Lower>
void replace_nodes(OnnxGraph& graph, Lower&& lower) {
  std::vector<OnnxNode> before = std::move(graph.nodes);
  std::vector<OnnxNode> after;
  graph.nodes.clear();
  for (OnnxNode& node : before) {
    GraphBuilder builder(graph, node);
    lower(builder);
    std::vector<OnnxNode> made = builder.take();
    if (made.empty()) {
      node.fault = builder.fault();
      made.push_back(std::move(node));
    }
    for (OnnxNode& each : made) after.push_back(std::move(each));
  }
  graph.nodes = std::move(after);
}

}  // namespace poet
