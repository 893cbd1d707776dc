// Branch and bound over canonical placements, after MiniMalloc (Moffitt, ASPLOS 2023). If any
// placement fits, so does the one whose offsets have the smallest sum. No block of it can be
// lowered: each one is at 0 or on top of another that lives at the same time. So a block is only
// ever placed at its floor, the highest top of what is placed and overlaps with it in time, and the
// search decides what comes next.
//
// MiniMalloc takes the blocks in the order of their offsets, wherever in time they are. A dead end
// in one place is then found again for every choice in another. This search branches in two: a
// block is at its floor, or it is on top of a block that is still to come, which raises its floor.
// Either may be decided anywhere, so it goes where the fewest blocks can come next. It solves more
// than twice as many squares that were cut into buffers as the order by offsets does.
//
// - Level. The level of a section is the lowest floor of its unplaced blocks.
// - Valley. Sections side by side on one level, between higher ones. What has its floor there is
//   all within the valley, so placing it leaves no gap below it.
// - Bound. In each section, and for each floor in it, the floor plus the bytes of all unplaced
//   blocks with that floor or a higher one is within the capacity.
// - Jumps. Each floor keeps the decisions that it follows from, and so does each dead end. The
//   other branch of a decision that had no part in a dead end would only find it again, and is left
//   out (Prosser, "Hybrid algorithms for the constraint satisfaction problem", 1993). Some proofs
//   on small programs need this.
// - Parts. If no unplaced block spans a border between two sections, both sides are problems of
//   their own. If either fails, the node ends.

#include "arena/branch_and_bound.hpp"

#include <algorithm>
#include <bitset>
#include <functional>
#include <limits>
#include <utility>

namespace poet {
namespace {

/// Above any capacity, with room to add a size to it.
constexpr Bytes kNever = std::numeric_limits<Bytes>::max() / 4;
constexpr std::int64_t kNodesBetweenLooks = 256;

/// Decisions of the current path, by depth. Decisions too deep for a bit of their own share the
/// last.
constexpr int kReasonBits = 512;
using Reason = std::bitset<kReasonBits>;

/// What is known about a block: it cannot be lower.
struct Fact {
  int block = 0;
  Bytes floor = 0;
  int weaker = -1;  ///< the block's fact before this one
  Reason reason;    ///< the decisions that it follows from
};

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
        depths_(blocks.size(), 0),
        latest_(blocks.size(), -1),
        neighbours_(blocks.size()),
        unplaced_bytes_(section_count, 0),
        spanning_(section_count, 0),
        levels_(section_count, 0),
        stacked_(section_count, 0),
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
    std::ranges::stable_sort(parts, {}, [](const Part& p) { return p.blocks.size(); });
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

  /// If it fails, `conflict_` has the decisions that it fails for.
  bool solve(const Part& part) {
    const std::size_t start = facts_.size();
    const std::size_t start_placed = placed_.size();
    while (has_room(part) && !limit_reached()) {
      const int b = choose(part);
      const std::size_t mark = facts_.size();
      const int depth = static_cast<int>(placed_.size());
      place(b);
      if (solve_parts(part)) return true;
      undo(mark, depth);
      if (cut_short_ || !conflict_.test(bit_of(depth))) break;
      if (depth < kReasonBits - 1) conflict_.reset(bit_of(depth));
      put_on_another(b);
    }
    undo(start, start_placed);
    return false;
  }

  /// By depth in the path; see Reason.
  static int bit_of(int depth) { return std::min(depth, kReasonBits - 1); }

  /// The bound, section by section; finds the levels.
  bool has_room(const Part& part) {
    by_floor_.clear();
    for (const int b : part.blocks) by_floor_.emplace_back(floors_[b], b);
    std::sort(by_floor_.begin(), by_floor_.end(), std::greater<>());
    std::fill(levels_.begin() + part.first, levels_.begin() + part.end, kNever);
    std::fill(stacked_.begin() + part.first, stacked_.begin() + part.end, 0);
    for (std::size_t i = 0; i < by_floor_.size(); ++i) {
      const auto [floor, b] = by_floor_[i];
      const SectionRange range = blocks_[b].range;
      const Bytes bytes = blocks_[b].bytes;
      for (int s = range.first; s < range.end; ++s) {
        stacked_[s] += bytes;
        levels_[s] = floor;
        if (stacked_[s] > capacity_ - floor) {
          explain(s, i);
          return false;
        }
      }
    }
    return true;
  }

  /// Why a section has no room for what is in `by_floor_` up to `last`. Lower floors would do as
  /// well.
  void explain(int section, std::size_t last) {
    conflict_.reset();
    const Bytes need = capacity_ - stacked_[section] + 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const int b = by_floor_[i].second;
      if (blocks_[b].range.first <= section && section < blocks_[b].range.end) {
        because(b, need, conflict_);
      }
    }
  }

  /// Adds why an unplaced block is not below an offset.
  void because(int b, Bytes offset, Reason& reason) const {
    if (offset <= 0) return;
    int fact = latest_[b];
    while (facts_[fact].weaker >= 0 && facts_[facts_[fact].weaker].floor >= offset) {
      fact = facts_[fact].weaker;
    }
    reason |= facts_[fact].reason;
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
    const Bytes offset = floors_[b];
    const Bytes top = offset + blocks_[b].bytes;
    const int depth = static_cast<int>(placed_.size());
    depths_[b] = depth;
    placed_.push_back(b);
    offsets_[b] = offset;
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0 || floors_[other] >= top) continue;
      Reason reason;
      reason.set(bit_of(depth));
      because(other, offset - blocks_[other].bytes + 1, reason);
      raise(other, top, reason);
    }
    count_unplaced(b, -1);
  }

  /// The other branch: the block is higher than its floor, on one that is not placed yet. It
  /// follows from the dead end of the first branch, and from where all that could be below it is.
  void put_on_another(int b) {
    Bytes lowest = kNever;
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0) continue;
      lowest = std::min(lowest, floors_[other] + blocks_[other].bytes);
    }
    lowest = std::max(floors_[b] + 1, lowest);
    because(b, floors_[b], conflict_);
    for (const int other : neighbours_[b]) {
      if (offsets_[other] >= 0) {
        conflict_.set(bit_of(depths_[other]));
      } else {
        because(other, std::min(lowest - blocks_[other].bytes, floors_[other]), conflict_);
      }
    }
    raise(b, lowest, conflict_);
  }

  void raise(int b, Bytes floor, const Reason& reason) {
    facts_.push_back({.block = b, .floor = floor, .weaker = latest_[b], .reason = reason});
    latest_[b] = static_cast<int>(facts_.size()) - 1;
    floors_[b] = floor;
  }

  void undo(std::size_t mark, std::size_t placed) {
    for (; placed_.size() > placed; placed_.pop_back()) {
      offsets_[placed_.back()] = -1;
      count_unplaced(placed_.back(), 1);
    }
    for (; facts_.size() > mark; facts_.pop_back()) {
      const Fact& fact = facts_.back();
      latest_[fact.block] = fact.weaker;
      floors_[fact.block] = fact.weaker >= 0 ? facts_[fact.weaker].floor : 0;
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
  std::vector<int> depths_;                   ///< by placed block
  std::vector<int> latest_;                   ///< by block: its last fact, or -1
  std::vector<std::vector<int>> neighbours_;  ///< by block: those that overlap with it in time
  std::vector<Bytes> unplaced_bytes_;         ///< by section
  std::vector<int> spanning_;   ///< by section: unplaced blocks that span the border before it
  std::vector<Bytes> levels_;   ///< by section; kNever if nothing in it is unplaced
  std::vector<Bytes> stacked_;  ///< by section: bytes of the highest unplaced blocks
  std::vector<int> choices_;    ///< by section: blocks that can come next in it
  std::vector<std::pair<Bytes, int>> by_floor_;  ///< unplaced blocks of a part, the highest first
  std::vector<Fact> facts_;                      ///< of the current path
  std::vector<int> placed_;                      ///< blocks, in the order of decisions
  Reason conflict_;                              ///< why the last part failed
  std::int64_t nodes_ = 0;
  bool cut_short_ = false;
};

}  // namespace

SearchResult branch_and_bound(std::span<const Block> blocks, int section_count, Bytes capacity,
                              std::int64_t max_nodes, const std::function<bool()>& stop) {
  return Search(blocks, section_count, capacity, max_nodes, stop).run();
}

}  // namespace poet
