// Branch and bound over canonical placements, after MiniMalloc (Moffitt, ASPLOS 2023). If any
// placement fits, so does the one whose offsets have the smallest sum. No block of it can be
// lowered: each one is at 0 or on top of another that lives at the same time. So a block is only
// ever placed at its floor, the highest top of what is placed and overlaps with it in time, and the
// search decides what comes next.
//
// MiniMalloc takes the blocks in the order of their offsets, wherever in time they are. A dead end
// in one place is then found again for every choice in another. This search branches in two: a
// block is at its floor, or it is on top of a block that is still to come, which raises its floor.
// Either may be decided anywhere, so it goes where the fewest blocks can come next. Of 22 problems
// with 120 to 420 buffers in just enough memory, cut from squares, it solved 16 within 8 seconds
// each, and the order by offsets 6.
//
// - Level. The level of a section is the lowest floor of its unplaced blocks.
// - Valley. Sections side by side on one level, between higher ones. What has its floor there is
//   all within the valley, so placing it leaves no gap below it.
// - Bound. In each section, the level plus the bytes of all unplaced blocks is within the capacity.
// - Parts. If no unplaced block spans a border between two sections, both sides are problems of
//   their own. One that fails ends the node, whatever the other side would do.

#include "arena/branch_and_bound.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace poet {
namespace {

/// Above any capacity, with room to add a size to it.
constexpr Bytes kNever = std::numeric_limits<Bytes>::max() / 4;
constexpr std::int64_t kNodesBetweenLooks = 256;

/// A part of the problem: sections from `first` to `end`, and the unplaced blocks in them.
struct Part {
  int first = 0;
  int end = 0;
  std::vector<int> blocks;  ///< in the static order
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
        spanning_(section_count, 0),
        levels_(section_count, 0),
        choices_(section_count, 0) {
    for (int b = 0; b < count(); ++b) {
      count_unplaced(b, 1);
      for (int other = 0; other < b; ++other) {
        if (!overlap(blocks_[b].range, blocks_[other].range)) continue;
        neighbours_[b].push_back(other);
        neighbours_[other].push_back(b);
      }
    }
  }

  SearchResult run() {
    Part all{.first = 0, .end = static_cast<int>(levels_.size()), .blocks = {}};
    for (int b = 0; b < count(); ++b) all.blocks.push_back(b);
    SearchResult result;
    const bool found = solve_parts(all);
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

  /// Solves the parts that are left of a part, the smallest first: it is the quickest to fail.
  bool solve_parts(const Part& part) {
    std::vector<Part> parts = split(part);
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return a.blocks.size() < b.blocks.size();
    });
    return std::all_of(parts.begin(), parts.end(), [&](const Part& each) { return solve(each); });
  }

  std::vector<Part> split(const Part& part) const {
    std::vector<Part> parts;
    std::vector<int> part_of(part.end - part.first, 0);
    for (int s = part.first; s < part.end; ++s) {
      if (s == part.first || spanning_[s] == 0) {
        parts.push_back({.first = s, .end = s, .blocks = {}});
      }
      parts.back().end = s + 1;
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

  bool solve(const Part& part) {
    const std::size_t start = trail_.size();
    while (has_room(part) && !limit_reached()) {
      const int b = choose(part);
      const std::size_t mark = trail_.size();
      place(b);
      if (solve_parts(part)) return true;
      undo(mark);
      if (cut_short_) break;
      put_on_another(b);
    }
    undo(start);
    return false;
  }

  /// The bound, section by section; finds the levels.
  bool has_room(const Part& part) {
    std::fill(levels_.begin() + part.first, levels_.begin() + part.end, kNever);
    for (const int b : part.blocks) {
      if (floors_[b] > capacity_) return false;
      for (int s = blocks_[b].range.first; s < blocks_[b].range.end; ++s) {
        levels_[s] = std::min(levels_[s], floors_[b]);
      }
    }
    for (int s = part.first; s < part.end; ++s) {
      if (unplaced_bytes_[s] > 0 && levels_[s] > capacity_ - unplaced_bytes_[s]) return false;
    }
    return true;
  }

  bool can_be_next_in(int b, int section) const {
    const SectionRange& range = blocks_[b].range;
    return range.first <= section && section < range.end && floors_[b] == levels_[section];
  }

  int choose(const Part& part) {
    count_choices(part);
    const int section = section_of_fewest_choices(part);
    return *std::find_if(part.blocks.begin(), part.blocks.end(),
                         [&](int b) { return can_be_next_in(b, section); });
  }

  void count_choices(const Part& part) {
    std::fill(choices_.begin() + part.first, choices_.begin() + part.end, 0);
    for (const int b : part.blocks) {
      for (int s = blocks_[b].range.first; s < blocks_[b].range.end; ++s) {
        if (floors_[b] == levels_[s]) ++choices_[s];
      }
    }
  }

  /// Of the sections in valleys. That nothing comes next is one more choice if there is room for a
  /// gap. Ties are broken by the lower level.
  int section_of_fewest_choices(const Part& part) const {
    int best = part.first;
    std::pair<Bytes, Bytes> fewest{kNever, kNever};
    for (int first = part.first, end = 0; first < part.end; first = end) {
      const Bytes level = levels_[first];
      for (end = first; end < part.end && levels_[end] == level;) ++end;
      const bool is_valley = (first == part.first || levels_[first - 1] > level) &&
                             (end == part.end || levels_[end] > level);
      for (int s = first; is_valley && level < kNever && s < end; ++s) {
        const bool gap = level + unplaced_bytes_[s] < capacity_;
        const std::pair<Bytes, Bytes> key{choices_[s] + (gap ? 1 : 0), level};
        if (key >= fewest) continue;
        fewest = key;
        best = s;
      }
    }
    return best;
  }

  void place(int b) {
    trail_.emplace_back(b, floors_[b]);
    offsets_[b] = floors_[b];
    for (const int other : neighbours_[b]) {
      if (offsets_[other] < 0) raise(other, floors_[b] + blocks_[b].bytes);
    }
    count_unplaced(b, -1);
  }

  /// The other branch: the block is higher than its floor, on one that is not placed yet.
  void put_on_another(int b) {
    Bytes lowest = kNever;
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0) continue;
      lowest = std::min(lowest, floors_[other] + blocks_[other].bytes);
    }
    raise(b, std::max(floors_[b] + 1, lowest));
  }

  void raise(int b, Bytes floor) {
    if (floors_[b] >= floor) return;
    trail_.emplace_back(b, floors_[b]);
    floors_[b] = floor;
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
    if (nodes_ == max_nodes_ ||
        (nodes_ % kNodesBetweenLooks == kNodesBetweenLooks - 1 && stop_())) {
      cut_short_ = true;
      return true;
    }
    ++nodes_;
    return false;
  }

  std::span<const Block> blocks_;
  Bytes capacity_;
  std::int64_t max_nodes_;
  const std::function<bool()>& stop_;
  std::vector<Bytes> offsets_;                ///< by block; -1 if it is not placed
  std::vector<Bytes> floors_;                 ///< by block: it cannot be lower
  std::vector<std::vector<int>> neighbours_;  ///< by block: those that overlap with it in time
  std::vector<Bytes> unplaced_bytes_;         ///< by section
  std::vector<int> spanning_;  ///< by section: unplaced blocks that span the border before it
  std::vector<Bytes> levels_;  ///< by section; kNever if nothing in it is unplaced
  std::vector<int> choices_;   ///< by section: blocks that can come next in it
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
