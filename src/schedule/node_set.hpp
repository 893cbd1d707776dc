#pragma once

#include <span>
#include <vector>

namespace poet {

/// A set of nodes 0..size-1. Indices outside that range are never members and inserting them
/// does nothing, so that lists read from anywhere can be asked about safely.
class NodeSet {
 public:
  explicit NodeSet(int size) : flags_(static_cast<std::size_t>(size), false) {}
  NodeSet(int size, std::span<const int> members) : NodeSet(size) { insert(members); }

  bool in_range(int node) const { return node >= 0 && node < static_cast<int>(flags_.size()); }
  bool has(int node) const { return in_range(node) && flags_[node]; }

  /// Whether the node was added; false for one already there or out of range.
  bool insert(int node) {
    if (!in_range(node) || flags_[node]) return false;
    flags_[node] = true;
    return true;
  }
  void insert(std::span<const int> members) {
    for (const int node : members) insert(node);
  }

  /// Whether the node was taken out; false for one that was not there.
  bool erase(int node) {
    if (!has(node)) return false;
    flags_[node] = false;
    return true;
  }

 private:
  std::vector<bool> flags_;
};

}  // namespace poet
