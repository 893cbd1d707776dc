// What to do if no offsets are known that fit: move buffers while they are in use. An allocator at
// run time cannot do that, since it does not know who has pointers into a buffer. A schedule's
// instructions name tensors, so that a memmove before an instruction is all that it takes. The
// bytes in use never exceed the peak, so moving everything down always makes enough room.

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "poet/arena.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

class MovingPlacer {
 public:
  MovingPlacer(std::span<const Buffer> buffers, const Arena& arena, const Placement& hint)
      : buffers_(buffers),
        arena_(arena),
        hint_(hint),
        offsets_(hint.offsets),
        placement_{.offsets = hint.offsets, .moves = {}} {}

  Placement run() {
    std::vector<int> order(buffers_.size());
    std::iota(order.begin(), order.end(), 0);
    // Of those that start together, the largest first: it is the hardest to find room for.
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return std::pair(buffers_[a].lower, -buffers_[a].bytes) <
             std::pair(buffers_[b].lower, -buffers_[b].bytes);
    });
    for (auto first = order.begin(); first != order.end();) {
      const std::int64_t time = buffers_[*first].lower;
      const auto end =
          std::find_if(first, order.end(), [&](int b) { return buffers_[b].lower != time; });
      start({first, end}, time);
      first = end;
    }
    return std::move(placement_);
  }

 private:
  /// `in_use_` stays sorted by offset.
  void start(std::span<const int> starting, std::int64_t time) {
    std::erase_if(in_use_, [&](int b) { return buffers_[b].upper <= time; });
    Bytes moved_top = 0;
    for (std::size_t next = 0; !put_all(starting, next == 0); ++next) {
      const int b = in_use_[next];
      if (offsets_[b] > moved_top) {
        offsets_[b] = moved_top;
        placement_.moves.push_back({.time = time, .buffer = b, .offset = moved_top});
      }
      moved_top = std::max(moved_top, offsets_[b] + size_of(b));  // one of no bytes may be lower
    }
    for (const int b : starting) placement_.offsets[b] = offsets_[b];
  }

  /// The hints may break up what the moves have joined, so they count only before any move.
  bool put_all(std::span<const int> starting, bool hinted) {
    const std::vector<int> before = in_use_;
    for (const int b : starting) {
      const std::optional<Bytes> offset = room_for(b, hinted);
      if (!offset) {
        in_use_ = before;
        return false;
      }
      offsets_[b] = *offset;
      const auto above = std::find_if(in_use_.begin(), in_use_.end(),
                                      [&](int other) { return offsets_[other] >= *offset; });
      in_use_.insert(above, b);
    }
    return true;
  }

  /// The lowest gap, or the hinted offset if it is free.
  std::optional<Bytes> room_for(int b, bool hinted) const {
    const Bytes wanted = hint_.offsets[b];
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

  Bytes size_of(int b) const { return aligned(buffers_[b].bytes, arena_.alignment); }

  std::span<const Buffer> buffers_;
  const Arena& arena_;
  const Placement& hint_;
  std::vector<Bytes> offsets_;  ///< by buffer, where it is now
  std::vector<int> in_use_;     ///< by offset
  Placement placement_;
};

}  // namespace

Placement place_with_moves(std::span<const Buffer> buffers, const Arena& arena,
                           const Placement& hint) {
  const Bytes peak = peak_bytes(buffers, arena.alignment);
  if (peak > arena.capacity_bytes) {
    throw InputError(fmt::format("the capacity is {} bytes; expected at least the peak of {} bytes",
                                 arena.capacity_bytes, peak));
  }
  return MovingPlacer(buffers, arena, hint).run();
}

}  // namespace poet
