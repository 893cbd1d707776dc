#pragma once

#include <span>
#include <vector>

#include "poet/graph.hpp"
#include "poet/units.hpp"

namespace poet {

/// A set of nodes 0..size-1. Indices outside that range are never members and inserting them
/// does nothing: the judge asks about lists that somebody else has written.
class NodeSet {
 public:
  explicit NodeSet(int size) : flags_(static_cast<std::size_t>(size), false) {}
  NodeSet(int size, std::span<const int> members) : NodeSet(size) { insert(members); }

  bool in_range(int node) const { return node >= 0 && node < static_cast<int>(flags_.size()); }
  bool has(int node) const { return in_range(node) && flags_[node]; }

  /// Returns whether the node was added: false for one already there or out of range.
  bool insert(int node) {
    if (!in_range(node) || flags_[node]) return false;
    flags_[node] = true;
    return true;
  }
  void insert(std::span<const int> members) {
    for (const int node : members) insert(node);
  }

  /// Returns whether the node was taken out: false for one that was not there.
  bool erase(int node) {
    if (!has(node)) return false;
    flags_[node] = false;
    return true;
  }

 private:
  std::vector<bool> flags_;
};

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
