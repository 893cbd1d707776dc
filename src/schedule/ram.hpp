#pragma once

#include <span>

#include "poet/graph.hpp"
#include "poet/units.hpp"
#include "schedule/node_set.hpp"

namespace poet {

/// The outputs held in RAM and their exact size. Each output counts once, however often it is
/// added; a graph's outputs together fit 2^53 bytes, so the sum cannot overflow.
class Ram {
 public:
  Ram(const Graph& graph, std::span<const int> held) : graph_(graph), held_(graph.size()) {
    for (const int node : held) add(node);
  }

  bool holds(int node) const { return held_.has(node); }
  Bytes bytes() const { return bytes_; }

  void add(int node) {
    if (held_.insert(node)) bytes_ += graph_.nodes[node].bytes;
  }
  void free(int node) {
    if (held_.erase(node)) bytes_ -= graph_.nodes[node].bytes;
  }

 private:
  const Graph& graph_;
  NodeSet held_;
  Bytes bytes_ = 0;
};

}  // namespace poet
