// A graph is rewritten under the name of the node that goes, so that layers are called as the
// exporter called it. Tensors are added at the end, as graphs refer to them by index.

#include "import/graph_builder.hpp"

#include <algorithm>
#include <numeric>

#include "import/match.hpp"

namespace poet {

OnnxAttribute integer_of(std::int64_t value) {
  return {.integer = value};
}

OnnxAttribute number_of(double value) {
  return {.number = value};
}

OnnxAttribute list_of(std::vector<std::int64_t> list) {
  return {.integers = std::move(list)};
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape longer = a.size() < b.size() ? b : a;
  const Shape& shorter = a.size() < b.size() ? a : b;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    if (longer[i + shift] == 1) longer[i + shift] = shorter[i];
  }
  return longer;
}

GraphBuilder::GraphBuilder(OnnxGraph& graph, const OnnxNode& node)
    : graph_(graph), node_(node), name_(node.name) {
  node_.forget();
  const std::size_t slash = name_.rfind('/');
  const std::string last = slash == std::string::npos ? "" : name_.substr(slash + 1);
  if (last == node.op || last.starts_with(node.op + "_")) name_.resize(slash);
  if (name_.empty()) name_ = name_of_op(node.op);
}

int GraphBuilder::slice(int tensor, std::size_t axis, std::int64_t start, std::int64_t size) {
  Shape part = shape(tensor);
  part.at(axis) = size;
  return add("Slice",
             {tensor, list({start}), list({start + size}), list({static_cast<std::int64_t>(axis)})},
             std::move(part));
}

int GraphBuilder::swapped(int tensor, std::size_t axis) {
  Shape turned = shape(tensor);
  if (axis + 1 == turned.size()) return tensor;
  std::swap(turned[axis], turned.back());
  std::vector<std::int64_t> order(turned.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
  return add("Transpose", {tensor}, std::move(turned), {{"perm", list_of(std::move(order))}});
}

int GraphBuilder::constant(Shape shape, std::vector<double> values) {
  graph_.tensors.push_back({.name = graph_.at(node_.output(0)).name + ".number",
                            .shape = std::move(shape),
                            .is_constant = true,
                            .values = std::move(values)});
  return static_cast<int>(graph_.tensors.size()) - 1;
}

int GraphBuilder::in_shape(int weight, const Shape& shape) {
  if (weight < 0 || graph_.at(weight).shape == shape) return weight;
  OnnxTensor made = graph_.at(weight);
  if (made.is_weight && made.origin < 0) made.origin = weight;
  made.shape = shape;
  graph_.tensors.push_back(std::move(made));
  const int index = static_cast<int>(graph_.tensors.size()) - 1;
  graph_.forms[index] = {
      .op = "Reshape", .name = node_.name, .inputs = {weight}, .outputs = {index}};
  return index;
}

int GraphBuilder::add(const std::string& op, std::vector<int> inputs, Shape shape,
                      const Attributes& attributes) {
  const int made = static_cast<int>(graph_.tensors.size());
  graph_.tensors.push_back(
      {.name = graph_.at(node_.output(0)).name + "." + op, .shape = std::move(shape)});
  OnnxNode node{.op = op, .name = name_, .inputs = std::move(inputs), .outputs = {made}};
  for (const auto& [key, value] : attributes) node.attributes[key] = value;
  nodes_.push_back(std::move(node));
  return made;
}

std::vector<OnnxNode> GraphBuilder::take() {
  if (nodes_.empty()) return {};
  fault_ = node_.unread();
  if (!fault_.empty()) return {};
  nodes_.back().outputs[0] = node_.output(0);
  const auto is_same_op = [&](const OnnxNode& each) { return each.op == node_.op; };
  auto main = std::find_if(nodes_.begin(), nodes_.end(), is_same_op);
  if (main == nodes_.end()) main = std::prev(nodes_.end());
  for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
    if (node != main) node->name += "/" + name_of_op(node->op);
  }
  return std::move(nodes_);
}

}  // namespace poet
