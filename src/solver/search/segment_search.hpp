#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "solver/search/greedy.hpp"
#include "solver/search/threshold_search.hpp"

namespace poet {

struct SegmentSearchOptions {
  std::optional<FoundPlan> start{};  ///< a feasible one, if any is known
  std::int64_t tries = 0;
  std::uint64_t seed = 1;
  Stop stop = [] { return false; };  ///< polled; true ends the search
  std::function<void(const Timeline&)> improved = [](const Timeline&) {};  ///< each better plan
};

/// Searches for plans of a deep network that compute whole segments again. A segment is what lies
/// between two nodes at which the forward pass can be cut (cut_nodes.hpp). If little RAM is left
/// beside those nodes, single tensors that are given up one by one hardly ever come to such plans:
/// for 24 equal blocks of a decoder in a twentieth of its RAM, descents from the baseline lead to
/// 121 % of extra energy and ten million moves to 61 %, but the first plan here to 51 % and a
/// thousand tries to 44 %.
///
/// The first plans keep every cut node, every second one, and so on; a greedy descent gives up what
/// does not fit. Then each try empties a window of stages, computes the segments there again as in
/// the first plan, and lets a descent whose prices are random repair it (ruin and recreate:
/// Schrimpf et al. 2000).
///
/// Returns a plan that fits and is better than the start, or nothing. Networks with few cuts, and
/// graphs without a backward pass, have none.
std::optional<FoundPlan> search_segments(Timeline& timeline, const SegmentSearchOptions& options);

}  // namespace poet
