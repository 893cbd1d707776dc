// A graph as plain data. Passes replace nodes and leave the rest to remove_unread_nodes(), so that
// no pass has to know who else read what it took apart. Links are a snapshot: after a pass has put
// a node in the place of another, its index is the same, which is what put_in_place() relies on.

#include "import/onnx_graph.hpp"

#include <algorithm>

namespace poet {

const OnnxAttribute* OnnxNode::attribute(const std::string& key) const {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return nullptr;
  read_attributes.insert(key);
  return &found->second;
}

std::int64_t OnnxNode::integer(const std::string& key, std::int64_t otherwise) const {
  const OnnxAttribute* const found = attribute(key);
  return found == nullptr ? otherwise : found->integer;
}

double OnnxNode::number(const std::string& key, double otherwise) const {
  const OnnxAttribute* const found = attribute(key);
  return found == nullptr ? otherwise : found->number;
}

std::vector<std::int64_t> OnnxNode::integers(const std::string& key) const {
  const OnnxAttribute* const found = attribute(key);
  return found == nullptr ? std::vector<std::int64_t>{} : found->integers;
}

std::string OnnxNode::text(const std::string& key) const {
  const OnnxAttribute* const found = attribute(key);
  return found == nullptr ? std::string{} : found->text;
}

void OnnxNode::read_all() const {
  for (const auto& [key, attribute] : attributes) read_attributes.insert(key);
  for (std::size_t i = 0; i < inputs.size(); ++i) read_inputs.insert(i);
}

void OnnxNode::forget() const {
  read_attributes.clear();
  read_inputs.clear();
}

std::string OnnxNode::unread() const {
  for (const auto& [key, attribute] : attributes) {
    if (!read_attributes.contains(key)) return "its attribute " + key;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] >= 0 && !read_inputs.contains(i)) return "its input " + std::to_string(i);
  }
  return {};
}

// An output of the graph counts as a reader, -1: no pattern may swallow a tensor that somebody
// outside reads.
OnnxLinks::OnnxLinks(const OnnxGraph& graph)
    : graph_(&graph), maker_(graph.tensors.size(), -1), readers_(graph.tensors.size()) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int tensor : graph.nodes[n].inputs) {
      if (tensor >= 0) readers_[tensor].push_back(static_cast<int>(n));
    }
    for (const int tensor : graph.nodes[n].outputs) {
      if (tensor >= 0) maker_[tensor] = static_cast<int>(n);
    }
  }
  for (const int tensor : graph.outputs) readers_[tensor].push_back(-1);
}

const OnnxNode* OnnxLinks::maker(int tensor) const {
  if (tensor < 0 || maker_.at(tensor) < 0) return nullptr;
  return &graph_->nodes[maker_[tensor]];
}

const OnnxNode* OnnxLinks::maker(int tensor, std::string_view op) const {
  const OnnxNode* const node = maker(tensor);
  return node != nullptr && node->op == op ? node : nullptr;
}

const OnnxNode* OnnxLinks::only_reader(int tensor, std::string_view op) const {
  if (tensor < 0 || readers_.at(tensor).size() != 1 || readers_[tensor][0] < 0) return nullptr;
  const OnnxNode& node = graph_->nodes[readers_[tensor][0]];
  return node.op == op ? &node : nullptr;
}

std::size_t OnnxLinks::reader_count(int tensor) const {
  return readers_.at(tensor).size();
}

// From the outputs back, which is one pass because nodes are in topological order.
void remove_unread_nodes(OnnxGraph& graph) {
  std::vector<bool> is_needed(graph.tensors.size());
  for (const int tensor : graph.outputs) is_needed[tensor] = true;
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_read = std::any_of(node->outputs.begin(), node->outputs.end(),
                                     [&](int tensor) { return tensor >= 0 && is_needed[tensor]; });
    if (!is_read) continue;
    for (const int tensor : node->inputs) {
      if (tensor >= 0) is_needed[tensor] = true;
    }
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace poet
