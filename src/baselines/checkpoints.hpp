#pragma once

#include <optional>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// Where a segment may end: at the cut nodes, or at all forward nodes if there are fewer than two
/// of the former.
std::vector<int> segment_ends(const Graph& graph);

/// The schedule that keeps these forward nodes, which are ascending, until the backward pass. A
/// segment, the nodes between two of them, is computed again when the backward pass first reads one
/// of its tensors, and is kept until it has read them; the last segment is kept from the start.
/// What may not be computed again stays.
std::optional<Schedule> checkpointed(const Graph& graph, const std::vector<int>& checkpoints);

}  // namespace poet
