#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// A network whose layers follow one another. A state is the output of a layer that the backward
/// pass reads, and state 0 the first node; step k computes state k from state k-1.
struct LayerChain {
  std::vector<int> states;  ///< nodes, ascending
  /// By forward node: the state that it is or is computed from; -1 for nodes without one, which are
  /// data and layers that the backward pass does not read.
  std::vector<int> position;

  int steps() const { return static_cast<int>(states.size()) - 1; }
};

/// The chain of a graph's forward pass; nothing if a layer reads another one than the one before
/// it, other than what only the backward pass reads, or if nothing is read backward.
std::optional<LayerChain> layer_chain(const Graph& graph);

/// A state that is kept while the states before and after it are not.
struct Snapshot {
  int position = 0;
  bool is_paged = false;  ///< in secondary storage until it is needed
};

/// Which states between `from`, a snapshot, and `to` become snapshots when the step from one to the
/// other is made again, beside those at the positions of `kept`.
using SnapshotRule =
    std::function<std::vector<int>(int from, int to, const std::vector<int>& kept)>;

/// The highest state from which what the first gradients read is at hand after the forward pass.
int first_reversal(const Graph& graph, const LayerChain& chain);

/// The schedule that leaves these snapshots in the forward pass, ascending and above position 0,
/// and reverses the chain from its end: it makes the steps from the nearest snapshot again where a
/// gradient misses a state, with new snapshots on the way. Two states that follow one another stay
/// together until the gradients have read them.
std::optional<Schedule> reverse_chain(const Graph& graph, const LayerChain& chain,
                                      const std::vector<Snapshot>& first,
                                      const SnapshotRule& between);

}  // namespace poet
