// Chains are what the theory of checkpointing is about (Griewank and Walther 2000), and what POFO's
// dynamic program needs (Beaumont et al. 2021). Both are a rule for which states are kept at which
// time; this file turns any such rule into stages.

#include "baselines/layer_chain.hpp"

#include <algorithm>

#include "baselines/residency.hpp"

namespace poet {
namespace {

bool is_data(const Graph& graph, int node) {
  return graph.nodes[node].inputs.empty();
}

bool is_read_backward(const Graph& graph, int node) {
  return last_use(graph, node) >= graph.first_backward;
}

bool is_read_forward(const Graph& graph, int node) {
  return !graph.users[node].empty() && graph.users[node].front() < graph.first_backward;
}

/// The layers that others read, in order, and what is computed from them for the backward pass
/// alone.
struct Trunk {
  std::vector<int> nodes;
  std::vector<int> source;  ///< by forward node: where in `nodes` it comes from, or is; -1 for data
};

std::optional<Trunk> find_trunk(const Graph& graph) {
  Trunk trunk{.nodes = {}, .source = std::vector<int>(graph.first_backward, -1)};
  for (int i = 0; i < graph.first_backward; ++i) {
    if (is_data(graph, i)) {
      if (!trunk.nodes.empty()) continue;
      trunk.source[i] = 0;
      trunk.nodes.push_back(i);
      continue;
    }
    int from = -1;
    for (const int input : graph.nodes[i].inputs) {
      const int at = trunk.source[input];
      if (at < 0) continue;
      // A node beside the trunk has no copy that could be a snapshot.
      if (trunk.nodes[at] != input || from >= 0) return std::nullopt;
      from = at;
    }
    if (from < 0) return std::nullopt;
    const bool is_end = static_cast<std::size_t>(from) + 1 == trunk.nodes.size();
    if (is_read_forward(graph, i) || (is_end && i + 1 == graph.first_backward)) {
      if (!is_end) return std::nullopt;
      trunk.source[i] = static_cast<int>(trunk.nodes.size());
      trunk.nodes.push_back(i);
    } else {
      trunk.source[i] = from;
    }
  }
  return trunk;
}

/// Follows the reversal of a chain, stage by stage.
class Reversal {
 public:
  Reversal(const Graph& graph, const LayerChain& chain, const SnapshotRule& between)
      : graph_(graph),
        chain_(chain),
        between_(between),
        droppable_(can_be_dropped(graph)),
        in_ram_(graph.first_backward),
        residency_(keep_everything(graph)) {}

  std::optional<Schedule> run(const std::vector<Snapshot>& first) {
    begin(first);
    for (int t = graph_.first_backward; t < graph_.size(); ++t) reverse_at(t);
    return schedule_of(graph_, residency_);
  }

 private:
  /// The forward pass keeps snapshots, and what the first gradients read.
  void begin(const std::vector<Snapshot>& first) {
    floor_ = first_reversal(graph_, chain_);
    // Data comes back for nothing; a first layer without data would not.
    const int start = chain_.states.front();
    if (graph_.nodes[start].energy_joules > 0) droppable_[start] = false;
    std::vector<bool> paged(chain_.states.size());
    for (const Snapshot& snapshot : first) {
      snapshots_.push_back(snapshot.position);
      const int node = chain_.states[snapshot.position];
      // What the first gradients read stays anyway.
      paged[snapshot.position] =
          snapshot.is_paged && snapshot.position < floor_ && graph_.nodes[node].page;
    }
    for (int i = 0; i < graph_.first_backward; ++i) {
      if (!droppable_[i]) {
        in_ram_[i] = true;
        continue;
      }
      int last_forward = i;
      for (const int user : graph_.users[i]) {
        if (user < graph_.first_backward) last_forward = user;
      }
      residency_.drop(i, last_forward + 1, last_use(graph_, i));
      const int at = chain_.position[i];
      const bool is_paged = at >= 0 && chain_.states[at] == i && paged[at];
      if (is_paged) {
        residency_.hold(i, i + 1, i + 1);
        residency_.page_out[i + 1].push_back(i);
      } else if (is_kept(i)) {
        in_ram_[i] = true;
        residency_.hold(i, i + 1, graph_.first_backward);
      }
    }
    paged_ = std::move(paged);
  }

  bool is_snapshot(int node) const {
    const int at = chain_.position[node];
    return at >= 0 && chain_.states[at] == node &&
           std::find(snapshots_.begin(), snapshots_.end(), at) != snapshots_.end();
  }

  /// Whether a node's tensor stays once it is there.
  bool is_kept(int node) const { return is_snapshot(node) || chain_.position[node] >= floor_; }

  void reverse_at(int t) {
    int low = chain_.steps() + 1;
    int high = -1;
    int missing = chain_.steps() + 1;  // the lowest position
    for (const int i : graph_.nodes[t].inputs) {
      if (i >= graph_.first_backward || chain_.position[i] < 0) continue;
      const int at = chain_.position[i];
      low = std::min(low, at);
      high = std::max(high, at);
      if (in_ram_[i]) continue;
      missing = std::min(missing, at);
      if (chain_.states[at] == i && paged_[at]) fetch(i, t);
    }
    if (missing <= chain_.steps()) advance(t, missing, std::max(0, std::min(low, high - 1)), high);
    for (int i = 0; i < graph_.first_backward; ++i) {
      if (!droppable_[i]) continue;
      in_ram_[i] = in_ram_[i] && is_kept(i) && last_stage_of_interest(i) > t;
      if (in_ram_[i] && t + 1 < graph_.size()) residency_.hold(i, t + 1, t + 1);
    }
  }

  /// Snapshots are sources until their step is reversed; everything else is only read.
  int last_stage_of_interest(int node) const {
    return is_snapshot(node) ? graph_.size() : last_use(graph_, node);
  }

  /// Reads a snapshot back for stage t.
  void fetch(int node, int t) {
    const int at = chain_.position[node];
    paged_[at] = false;
    in_ram_[node] = true;
    residency_.hold(node, t, t);
    // Too early after the page-out: it never leaves.
    if (t - 1 < node + 2) {
      residency_.hold(node, node + 1, t);
    } else {
      residency_.page_in[t - 1].push_back(node);
    }
  }

  /// Makes the steps again that lead to the positions from `missing` to `high`.
  void advance(int t, int missing, int floor, int high) {
    int from = 0;
    for (const int at : snapshots_) {
      if (at <= missing) from = std::max(from, at);
    }
    if (from > 0 && paged_[from]) fetch(chain_.states[from], t);
    std::erase_if(snapshots_, [&](int at) { return at > std::max(floor, from); });
    const int to = std::max(floor, from);
    std::vector<int> kept = snapshots_;
    kept.push_back(0);
    for (const int at : between_(from, to, kept)) snapshots_.push_back(at);
    floor_ = to;
    for (int i = 0; i < graph_.first_backward; ++i) {
      const int at = chain_.position[i];
      const bool is_passed = at >= from && at <= high;
      if (is_passed && is_kept(i) && (is_snapshot(i) ? !is_paged(i) : last_use(graph_, i) > t)) {
        in_ram_[i] = true;
      }
    }
  }

  bool is_paged(int node) const { return paged_[chain_.position[node]]; }

  const Graph& graph_;
  const LayerChain& chain_;
  const SnapshotRule& between_;
  std::vector<bool> droppable_;
  std::vector<bool> in_ram_;  ///< by forward node
  std::vector<bool> paged_;   ///< by position: the snapshot is in secondary storage alone
  std::vector<int> snapshots_;
  int floor_ = 0;  ///< states from here on stay until they are read
  Residency residency_;
};

}  // namespace

std::optional<LayerChain> layer_chain(const Graph& graph) {
  const std::optional<Trunk> trunk = find_trunk(graph);
  if (!trunk || trunk->nodes.size() < 2) return std::nullopt;
  // What the backward pass does not read, itself or what is made of it alone, is never a state.
  std::vector<bool> is_state(trunk->nodes.size());
  is_state[0] = true;
  for (int i = 0; i < graph.first_backward; ++i) {
    if (trunk->source[i] >= 0 && is_read_backward(graph, i)) is_state[trunk->source[i]] = true;
  }
  LayerChain chain{.states = {}, .position = std::vector<int>(graph.first_backward, -1)};
  std::vector<int> position(trunk->nodes.size(), -1);
  for (std::size_t k = 0; k < trunk->nodes.size(); ++k) {
    if (!is_state[k]) continue;
    position[k] = static_cast<int>(chain.states.size());
    chain.states.push_back(trunk->nodes[k]);
  }
  for (int i = 0; i < graph.first_backward; ++i) {
    if (trunk->source[i] >= 0) chain.position[i] = position[trunk->source[i]];
  }
  return chain.steps() >= 1 ? std::optional(chain) : std::nullopt;
}

int first_reversal(const Graph& graph, const LayerChain& chain) {
  for (int t = graph.first_backward; t < graph.size(); ++t) {
    int low = chain.steps() + 1;
    int high = -1;
    for (const int i : graph.nodes[t].inputs) {
      if (i >= graph.first_backward || chain.position[i] < 0) continue;
      low = std::min(low, chain.position[i]);
      high = std::max(high, chain.position[i]);
    }
    if (high >= 0) return std::max(0, std::min(low, high - 1));
  }
  return chain.steps();
}

std::optional<Schedule> reverse_chain(const Graph& graph, const LayerChain& chain,
                                      const std::vector<Snapshot>& first,
                                      const SnapshotRule& between) {
  return Reversal(graph, chain, between).run(first);
}

}  // namespace poet
