// Compaction as far as need be. Moving everything down would always do, but a move is a copy of a
// tensor on the device, so buffers are moved from the bottom up, one by one, until what starts has
// room. What is above keeps its place. Buffers that may not be moved split the arena: then this can
// fail, and gather() brings them to one end first. All of it goes through the list of what is in
// use, in order of offsets, which is short next to the list of all buffers.

#include "arena/moving_memory.hpp"

#include <algorithm>
#include <utility>

namespace poet {

MovingMemory::MovingMemory(std::span<const Buffer> buffers, const Arena& arena,
                           std::vector<Bytes> hint)
    : buffers_(buffers),
      arena_(arena),
      hint_(std::move(hint)),
      offsets_(hint_),
      placement_{.offsets = offsets_, .moves = {}} {}

void MovingMemory::pass_to(std::int64_t time) {
  now_ = time;
  std::erase_if(in_use_, [&](int b) { return buffers_[b].upper <= time; });
}

bool MovingMemory::put_with_moves(std::span<const int> starting, const std::vector<bool>& fixed) {
  Bytes moved_top = 0;
  for (std::size_t next = 0; !put_all(starting, next == 0); ++next) {
    if (next == in_use_.size()) return false;
    const int b = in_use_[next];
    if (!fixed[b] && offsets_[b] > moved_top) move(b, moved_top);
    moved_top = std::max(moved_top, offsets_[b] + size_of(b));  // one of no bytes may be lower
  }
  for (const int b : starting) placement_.offsets[b] = offsets_[b];
  return true;
}

/// The hints may break up what the moves have joined, so they count only before any move.
bool MovingMemory::put_all(std::span<const int> starting, bool hinted) {
  const std::vector<int> before = in_use_;
  for (const int b : starting) {
    const std::optional<Bytes> offset = room_for(b, hinted);
    if (!offset) {
      in_use_ = before;
      return false;
    }
    insert(b, *offset);
  }
  return true;
}

/// The lowest gap, or the hinted offset if it is free.
std::optional<Bytes> MovingMemory::room_for(int b, bool hinted) const {
  const Bytes wanted = hint_[b];
  std::optional<Bytes> lowest;
  Bytes top = 0;
  const auto look = [&](Bytes end) {
    if (hinted && wanted >= top && wanted + size_of(b) <= end) return true;
    if (!lowest && end - top >= size_of(b)) lowest = top;
    return false;
  };
  for (const int other : in_use_) {
    if (look(offsets_[other])) return wanted;
    top = std::max(top, offsets_[other] + size_of(other));
  }
  if (look(arena_.capacity_bytes)) return wanted;
  return lowest;
}

void MovingMemory::insert(int b, Bytes offset) {
  offsets_[b] = offset;
  const auto above = std::find_if(in_use_.begin(), in_use_.end(),
                                  [&](int other) { return offsets_[other] >= offset; });
  in_use_.insert(above, b);
}

void MovingMemory::move(int b, Bytes offset) {
  if (offsets_[b] == offset) return;
  offsets_[b] = offset;
  placement_.moves.push_back({.time = now_, .buffer = b, .offset = offset});
}

// Everything is packed first: then the free bytes are one piece, through which two neighbours can
// change places. What is chosen comes to the bottom, or else what is not, and the rest goes up.
bool MovingMemory::gather(std::span<const int> starting, const std::vector<bool>& chosen,
                          bool low) {
  const Bytes packed = pack();
  std::size_t first = 0;  // of those that are not at the bottom yet
  for (std::size_t next = 0; next < in_use_.size(); ++next) {
    if (chosen[in_use_[next]] != low) continue;
    if (!bring_down(first, next, packed)) return false;
    // What was in the way may be above now, and what comes next is there.
    next = first++;
  }
  Bytes arriving = 0;
  for (const int b : starting) arriving += size_of(b);
  Bytes end = low ? packed + arriving : arena_.capacity_bytes / arena_.alignment * arena_.alignment;
  for (std::size_t at = in_use_.size(); at > first; --at) {
    end -= size_of(in_use_[at - 1]);
    move(in_use_[at - 1], end);
  }
  for (const int b : starting) {
    end -= size_of(b);
    insert(b, end);
    placement_.offsets[b] = end;
  }
  return true;
}

/// Moves everything down, in order, and returns where it ends.
Bytes MovingMemory::pack() {
  Bytes top = 0;
  for (const int b : in_use_) {
    move(b, top);
    top += size_of(b);
  }
  return top;
}

/// Brings a packed buffer down past others: past all at once if there is room for it above, or else
/// by bringing them up past everything, one by one.
bool MovingMemory::bring_down(std::size_t to, std::size_t from, Bytes packed) {
  if (to == from) return true;
  const Bytes room = arena_.capacity_bytes - packed;
  if (size_of(in_use_[from]) <= room) {
    pass_over(to, from, packed);
    return true;
  }
  for (std::size_t at = to; at < from; ++at) {
    if (size_of(in_use_[at]) > room) return false;
  }
  for (std::size_t at = to; at < from; ++at) send_up(to, packed);
  return true;
}

void MovingMemory::pass_over(std::size_t to, std::size_t from, Bytes packed) {
  const int b = in_use_[from];
  const Bytes offset = offsets_[in_use_[to]];
  move(b, packed);
  for (std::size_t at = from; at > to; --at) {
    move(in_use_[at - 1], offsets_[in_use_[at - 1]] + size_of(b));
  }
  move(b, offset);
  std::rotate(in_use_.begin() + static_cast<std::ptrdiff_t>(to),
              in_use_.begin() + static_cast<std::ptrdiff_t>(from),
              in_use_.begin() + static_cast<std::ptrdiff_t>(from) + 1);
}

void MovingMemory::send_up(std::size_t at, Bytes packed) {
  const int b = in_use_[at];
  move(b, packed);
  const auto place = in_use_.begin() + static_cast<std::ptrdiff_t>(at);
  std::rotate(place, place + 1, in_use_.end());
  for (; at < in_use_.size(); ++at) move(in_use_[at], offsets_[in_use_[at]] - size_of(b));
}

}  // namespace poet
