// Frameworks update all parameters at the end of a step, so that every gradient is in RAM at once.
// An update needs its gradient, and that nobody reads the old value any more: in most steps that is
// so right after the backward pass of its layer ("optimizer in backward", LOMO, Lv et al. 2023).
//
// A change of parameters goes together with what only it needs. That is found backwards: a node
// belongs to a change if all that need it do, by edges or as the next change of the same memory.
// Nodes are taken in the given order; as soon as all that a change needs from elsewhere is there,
// the rest of its nodes follow.

#include "problem/early_updates.hpp"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace poet {
namespace {

constexpr int kNobody = -1;

/// A change of which all is there that it needs from elsewhere. The shortest comes first, as it
/// frees its gradient soonest.
struct ReadyChange {
  int open_count = 0;  ///< nodes that are left
  int first_open = 0;
  int last = 0;

  bool operator<(const ReadyChange& other) const {
    return std::tie(open_count, first_open, last) <
           std::tie(other.open_count, other.first_open, other.last);
  }
};

class EarlyOrder {
 public:
  EarlyOrder(const Graph& graph, const Precedence& precedence)
      : graph_(graph),
        later_(graph.users),
        owner_(graph.nodes.size(), kNobody),
        changes_(graph.nodes.size()),
        is_placed_(graph.nodes.size(), false) {
    find_owners();
    for (const auto& [first, second] : precedence) later_[first].push_back(second);
    for (int k = 0; k < graph.size(); ++k) {
      if (owner_[k] != kNobody) changes_[owner_[k]].nodes.push_back(k);
      for (const int next : later_[k]) {
        if (is_awaited(k, next)) ++changes_[owner_[next]].missing;
      }
      for (const int input : graph.nodes[k].inputs) {
        if (is_awaited(input, k)) changes_[owner_[k]].has_inputs = true;
      }
    }
  }

  EarlyUpdates run() {
    for (int k = 0; k < graph_.size(); ++k) {
      place(k);
      while (!ready_.empty()) {
        const int last = ready_.begin()->last;
        ready_.erase(ready_.begin());
        for (const int node : changes_[last].nodes) place(node);
      }
    }
    return std::move(found_);
  }

 private:
  /// The nodes that end in one change.
  struct Change {
    std::vector<int> nodes;
    int missing = 0;          ///< pairs of a node from elsewhere and one of these after it
    bool has_inputs = false;  ///< from elsewhere; a counter of steps has none and stays
  };

  void find_owners() {
    std::map<std::string_view, int> next_change;
    for (int k = graph_.size() - 1; k >= 0; --k) {
      std::vector<int> needs = graph_.users[k];
      for (const std::string& name : graph_.nodes[k].writes_parameters) {
        const auto [next, is_last] = next_change.try_emplace(name, k);
        if (!is_last) needs.push_back(std::exchange(next->second, k));
      }
      owner_[k] = common_owner(needs);
      const bool changes = !graph_.nodes[k].writes_parameters.empty();
      if (changes && owner_[k] == kNobody) owner_[k] = k;
    }
  }

  int common_owner(const std::vector<int>& needs) const {
    if (needs.empty()) return kNobody;
    for (const int node : needs) {
      if (owner_[node] != owner_[needs.front()]) return kNobody;
    }
    return owner_[needs.front()];
  }

  ReadyChange ready_change(int last) const {
    ReadyChange ready{.last = last};
    for (const int node : changes_[last].nodes) {
      if (is_placed_[node]) continue;
      if (++ready.open_count == 1) ready.first_open = node;
    }
    return ready;
  }

  bool is_awaited(int first, int second) const {
    return owner_[second] != kNobody && owner_[second] != owner_[first];
  }

  void place(int node) {
    if (is_placed_[node]) return;
    is_placed_[node] = true;
    found_.order.push_back(node);
    int held_back = 0;
    for (const int next : later_[node]) {
      if (!is_awaited(node, next)) continue;
      Change& change = changes_[owner_[next]];
      if (--change.missing > 0 || !change.has_inputs) continue;
      ready_.insert(ready_change(owner_[next]));
      if (graph_.nodes[owner_[next]].backward) ++held_back;
    }
    found_.change_count += held_back;
    if (held_back <= found_.waiting_count) return;
    found_.waiting_count = held_back;
    found_.awaited = node;
  }

  const Graph& graph_;
  std::vector<std::vector<int>> later_;  ///< by node: what comes after it
  std::vector<int> owner_;               ///< by node: the change that it belongs to
  std::vector<Change> changes_;          ///< by the node that comes last in it
  std::vector<bool> is_placed_;
  std::set<ReadyChange> ready_;
  EarlyUpdates found_;
};

}  // namespace

EarlyUpdates early_updates(const Graph& graph, const Precedence& precedence) {
  return EarlyOrder(graph, precedence).run();
}

}  // namespace poet
