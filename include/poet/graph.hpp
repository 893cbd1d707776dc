#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// One operation of a training step, which makes one tensor, with all that scheduling needs to
/// know about it. Costs are finite and not negative.
struct Node {
  std::string name;
  std::string op;
  Bytes bytes = 0;                    ///< size of the output
  Seconds runtime_seconds = 0;        ///< one computation
  Joules energy_joules = 0;           ///< one computation
  Joules page_in_energy_joules = 0;   ///< secondary storage -> RAM, once
  Joules page_out_energy_joules = 0;  ///< RAM -> secondary storage, once
  Seconds page_in_seconds = 0;        ///< 0 if unknown; see PagingTime for who pays it
  Seconds page_out_seconds = 0;       ///< likewise
  std::vector<int> inputs;            ///< indices of earlier nodes, ascending, each once
  bool backward = false;              ///< whether the node belongs to the backward pass

  // What POET's graphs do not have. A graph whose nodes keep these defaults is one of POET's.
  std::optional<int> in_place{};  ///< the input whose RAM the output may take over
  /// In order of preference, the inputs among which `in_place` is chosen for an order of the nodes;
  /// empty without a choice. The digest leaves them out.
  std::vector<int> in_place_choices{};
  Bytes workspace_bytes = 0;                    ///< held while the node is computed, and only then
  bool recompute = true;                        ///< whether later stages may compute it again
  bool page = true;                             ///< whether it may be paged
  std::optional<Bytes> storage_bytes{};         ///< of a copy in secondary storage; absent: `bytes`
  std::vector<std::string> reads_parameters{};  ///< names of what it reads beside its inputs
  std::vector<std::string> writes_parameters{};  ///< names of what it changes, such as weights
  /// The bank of RAM that its output has to be in; empty: any. No part of the digest, as the solver
  /// asks for no bank.
  std::string bank{};
};

/// Returns the bytes of a copy in secondary storage.
inline Bytes bytes_in_storage(const Node& node) {
  return node.storage_bytes.value_or(node.bytes);
}

/// A training graph with costs, in topological order. Build it with make_graph.
struct Graph {
  std::vector<Node> nodes;
  std::vector<std::vector<int>> users;  ///< users[i] = nodes that read node i, ascending
  std::vector<int> last_stage;          ///< by node: the last stage that may compute it
  int first_backward = 0;               ///< index of the first backward node, or size()

  int size() const { return static_cast<int>(nodes.size()); }
  bool has_backward() const { return first_backward < size(); }
};

/// Completes a graph: sorts each node's inputs, merges repeated ones (two edges between the
/// same nodes are one edge), and finds the users and the last stages. A node that reads parameters
/// is not computed after the node that writes them, which is computed only once.
/// Throws InputError for an empty graph, an input that is not an earlier node, a cost that is not
/// between 0 and kMaxCost, sizes that add up to more than 2^53 bytes, `in_place` or a choice for it
/// that is not an input of equal bytes, a node that writes parameters and may be computed again, or
/// one that reads parameters that an earlier node writes.
Graph make_graph(std::vector<Node> nodes);

/// Returns the last node that reads a node's output; the node itself if none does.
int last_use(const Graph& graph, int node);

/// Returns the text that graph_sha256 hashes: docs/schedule-format.md, "Digests".
std::string graph_text(const Graph& graph, bool with_paging_times = false);

/// Returns the SHA-256 of a graph's sizes, costs and edges. Graphs with the same digest pose the
/// same problems; names of nodes do not count. The times of transfers are part of it only if
/// `with_paging_times`: unless a schedule is charged for them, they make no difference.
std::string graph_sha256(const Graph& graph, bool with_paging_times = false);

}  // namespace poet
