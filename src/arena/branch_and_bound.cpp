// Branch and bound over canonical placements. The idea is MiniMalloc's (Moffitt, ASPLOS 2023):
// search over the order in which blocks are placed, each at the lowest offset that is viable, and
// the offsets never falling. If any placement fits, so does the one whose offsets have the smallest
// sum; sorted by offset, it is such an order. In that placement no block can be lowered, which
// prunes the search:
//
// - Order. A block is never placed below the last one, nor, at equal offsets, before it in the
//   static order. What could have been placed there and was passed over can only go on top of a
//   block that is not placed yet.
// - Gaps. A block is not placed so high that another block, not placed yet, would fit in the gap
//   below: that block would be lowered into it.
// - Room. In each section, the lowest offset that any of its unplaced blocks can have, plus the
//   bytes of all of them, is within the capacity.
// - Parts. If no unplaced block spans a border between two sections, both sides are problems of
//   their own. One that fails ends the node, whatever the other side would do.

#include "arena/branch_and_bound.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace poet {
namespace {

constexpr Bytes kNoBound = std::numeric_limits<Bytes>::max();
constexpr std::int64_t kNodesBetweenLooks = 256;

/// A part of the problem: sections from `first` to `end`, and the unplaced blocks in them.
struct Part {
  int first = 0;
  int end = 0;
  std::vector<int> blocks;  ///< in the static order
};

/// The last block that was placed: later ones are not before it.
struct Front {
  Bytes offset = 0;
  int block = -1;
};

class Search {
 public:
  Search(std::span<const Block> blocks, int section_count, Bytes capacity, std::int64_t max_nodes,
         const std::function<bool()>& stop)
      : blocks_(blocks),
        capacity_(capacity),
        max_nodes_(max_nodes),
        stop_(stop),
        offsets_(blocks.size(), -1),
        floors_(blocks.size(), 0),
        neighbours_(blocks.size()),
        unplaced_bytes_(section_count, 0),
        spanning_(section_count + 1, 0),
        section_floors_(section_count, 0) {
    for (int b = 0; b < count(); ++b) {
      for (int s = blocks_[b].range.first; s < blocks_[b].range.end; ++s) {
        unplaced_bytes_[s] += blocks_[b].bytes;
      }
      for (int s = blocks_[b].range.first + 1; s < blocks_[b].range.end; ++s) ++spanning_[s];
      for (int other = 0; other < b; ++other) {
        if (!overlap(blocks_[b].range, blocks_[other].range)) continue;
        neighbours_[b].push_back(other);
        neighbours_[other].push_back(b);
      }
    }
  }

  SearchResult run() {
    Part all{.first = 0, .end = static_cast<int>(unplaced_bytes_.size()), .blocks = {}};
    for (int b = 0; b < count(); ++b) all.blocks.push_back(b);
    SearchResult result;
    const bool found = has_room(all, {}) && solve_parts(all, {});
    result.node_count = nodes_;
    if (found) {
      result.status = PlacementStatus::fits;
      result.offsets = std::move(offsets_);
    } else if (!cut_short_) {
      result.status = PlacementStatus::impossible;
    }
    return result;
  }

 private:
  int count() const { return static_cast<int>(blocks_.size()); }

  /// Solves the parts that unplaced blocks leave of a part, the smallest first: it is the quickest
  /// to fail.
  bool solve_parts(const Part& part, Front front) {
    std::vector<Part> parts = split(part);
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.blocks.size() < b.blocks.size(); });
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Part& each) { return solve(each, front); });
  }

  std::vector<Part> split(const Part& part) const {
    std::vector<int> part_of(part.end - part.first, 0);
    std::vector<Part> parts(1, Part{.first = part.first, .end = part.end, .blocks = {}});
    for (int s = part.first + 1; s < part.end; ++s) {
      if (spanning_[s] == 0) {
        parts.back().end = s;
        parts.push_back({.first = s, .end = part.end, .blocks = {}});
      }
      part_of[s - part.first] = static_cast<int>(parts.size()) - 1;
    }
    for (const int b : part.blocks) {
      if (offsets_[b] < 0) {
        parts[part_of[blocks_[b].range.first - part.first]].blocks.push_back(b);
      }
    }
    std::erase_if(parts, [](const Part& each) { return each.blocks.empty(); });
    return parts;
  }

  bool solve(const Part& part, Front front) {
    for (const int b : candidates(part, front)) {
      if (limit_reached()) return false;
      const std::size_t mark = trail_.size();
      const Front next{.offset = floors_[b], .block = b};
      place(b);
      if (has_room(part, next) && solve_parts(part, next)) return true;
      undo(mark);
      if (cut_short_) return false;
    }
    return false;
  }

  /// The blocks that can come next, lowest first.
  std::vector<int> candidates(const Part& part, Front front) const {
    Bytes lowest_top = kNoBound;
    for (const int b : part.blocks) {
      lowest_top = std::min(lowest_top, floors_[b] + blocks_[b].bytes);
    }
    std::vector<int> found;
    for (const int b : part.blocks) {
      if (!is_passed(b, front) && floors_[b] < lowest_top) found.push_back(b);
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](int a, int b) { return floors_[a] < floors_[b]; });
    return found;
  }

  /// Whether a block can no longer be placed on what is placed already.
  bool is_passed(int b, Front front) const {
    return std::pair(floors_[b], b) <= std::pair(front.offset, front.block);
  }

  /// The lowest offset that an unplaced block can still have.
  Bytes lowest_offset(int b, Front front) const {
    if (!is_passed(b, front)) return floors_[b];
    Bytes lowest = kNoBound;
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0) continue;
      lowest = std::min(lowest, std::max(floors_[other], front.offset) + blocks_[other].bytes);
    }
    return lowest;
  }

  /// The bound, section by section.
  bool has_room(const Part& part, Front front) {
    std::fill(section_floors_.begin() + part.first, section_floors_.begin() + part.end, kNoBound);
    for (const int b : part.blocks) {
      if (offsets_[b] >= 0) continue;
      const Bytes lowest = lowest_offset(b, front);
      if (lowest > capacity_) return false;
      for (int s = blocks_[b].range.first; s < blocks_[b].range.end; ++s) {
        section_floors_[s] = std::min(section_floors_[s], lowest);
      }
    }
    for (int s = part.first; s < part.end; ++s) {
      if (unplaced_bytes_[s] > 0 && section_floors_[s] > capacity_ - unplaced_bytes_[s]) {
        return false;
      }
    }
    return true;
  }

  void place(int b) {
    trail_.emplace_back(b, floors_[b]);
    offsets_[b] = floors_[b];
    const Bytes top = floors_[b] + blocks_[b].bytes;
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0 || floors_[other] >= top) continue;
      trail_.emplace_back(other, floors_[other]);
      floors_[other] = top;
    }
    count_unplaced(b, -1);
  }

  void undo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      const auto [b, floor] = trail_.back();
      floors_[b] = floor;
      if (offsets_[b] < 0) continue;
      offsets_[b] = -1;
      count_unplaced(b, 1);
    }
  }

  void count_unplaced(int b, int sign) {
    const SectionRange& range = blocks_[b].range;
    for (int s = range.first; s < range.end; ++s) unplaced_bytes_[s] += sign * blocks_[b].bytes;
    for (int s = range.first + 1; s < range.end; ++s) spanning_[s] += sign;
  }

  bool limit_reached() {
    ++nodes_;
    if (nodes_ > max_nodes_ || (nodes_ % kNodesBetweenLooks == 0 && stop_())) cut_short_ = true;
    return cut_short_;
  }

  std::span<const Block> blocks_;
  Bytes capacity_;
  std::int64_t max_nodes_;
  const std::function<bool()>& stop_;
  std::vector<Bytes> offsets_;  ///< by block; -1 if it is not placed
  std::vector<Bytes> floors_;   ///< by block: the highest top of what is placed and overlaps
  std::vector<std::vector<int>> neighbours_;  ///< by block: those that overlap with it in time
  std::vector<Bytes> unplaced_bytes_;         ///< by section
  std::vector<int> spanning_;  ///< by section: unplaced blocks that span its lower border
  std::vector<Bytes> section_floors_;
  std::vector<std::pair<int, Bytes>> trail_;  ///< blocks placed or raised, with their last floors
  std::int64_t nodes_ = 0;
  bool cut_short_ = false;
};

}  // namespace

SearchResult branch_and_bound(std::span<const Block> blocks, int section_count, Bytes capacity,
                              std::int64_t max_nodes, const std::function<bool()>& stop) {
  return Search(blocks, section_count, capacity, max_nodes, stop).run();
}

}  // namespace poet
