#pragma once

#include <optional>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// What a method decides: which tensors are in RAM when each stage starts, and which are moved
/// when. What each stage has to compute follows from that.
struct Residency {
  explicit Residency(const Graph& graph);

  /// Keeps a node's tensor from stage `first` to stage `last`; nothing for an empty range.
  void hold(int node, int first, int last);
  /// Gives it up in these stages.
  void drop(int node, int first, int last);

  std::vector<std::vector<bool>> held;     ///< by stage and node
  std::vector<std::vector<int>> page_out;  ///< by stage
  std::vector<std::vector<int>> page_in;   ///< by stage; held from the next stage on
};

/// Every tensor until its last use, as in the baseline. One that cannot be computed again stays as
/// long as a recomputation could read it: schedule_of() leaves out what is of no use.
Residency keep_everything(const Graph& graph);

/// Whether a node is computed only once, so that its tensor stays as long as another node that
/// reads it may be computed again.
bool is_computed_once(const Graph& graph, int node);

/// By node: the last stage that reads its tensor, first computations and possible recomputations
/// alike.
std::vector<int> needed_until(const Graph& graph);

/// By node: the last stage that can compute it again if all tensors are gone except the outputs of
/// nodes that are computed only once.
std::vector<int> recomputable_until(const Graph& graph);

/// By node: whether its tensor can always be given up, since it can be computed again up to its
/// last use.
std::vector<bool> can_be_dropped(const Graph& graph);

/// The cheapest schedule with this residency: each stage computes its own node, what the next stage
/// is to have, and what these need. What is held, paged out or paged in without being of use is
/// left out. Nothing if a stage would have to compute a node that may not be computed any more, or
/// to page out what it does not have.
std::optional<Schedule> schedule_of(const Graph& graph, const Residency& residency);

}  // namespace poet
