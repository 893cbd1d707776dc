#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "arena/sections.hpp"
#include "poet/arena.hpp"

namespace poet {

/// A buffer of the search. Its index is its place in the static order: of several that could come
/// next, the first one does.
struct Block {
  SectionRange range;
  Bytes bytes = 0;  ///< at least 1
};

struct SearchResult {
  PlacementStatus status = PlacementStatus::cut_short;
  std::vector<Bytes> offsets;  ///< by block; empty unless it fits
  std::int64_t node_count = 0;
};

/// Searches the canonical placements of blocks in `section_count` sections, all of them if need be.
/// It is cut short after `max_nodes` nodes, or when `stop` returns true; it is asked now and then.
///
/// What it misses: the search can enter a part that has no solution far below the choice that made
/// it so, and leaves it only when it starts again. Proofs that nothing fits are short on the
/// programs of schedules.
SearchResult branch_and_bound(std::span<const Block> blocks, int section_count, Bytes capacity,
                              std::int64_t max_nodes, const std::function<bool()>& stop);

}  // namespace poet
