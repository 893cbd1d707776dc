// Offline greedy placement: all lifetimes are known, so buffers can be placed in an order other
// than time's. The best of several orders meets the peak of nine schedules in ten; placing in order
// of time, as an allocator at run time has to, takes 5 to 16 % more RAM on average. A buffer of no
// bytes is at 0.

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "arena/sections.hpp"
#include "poet/arena.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

/// What is placed and lives at the same time as the next buffer.
struct Occupied {
  Bytes from = 0;
  Bytes to = 0;
};

/// Returns the offset of the gap that suits, or else above everything. What is occupied is in order
/// of its offsets.
Bytes offset_in_gap(const std::vector<Occupied>& occupied, Bytes bytes, GreedyGap gap) {
  std::optional<Occupied> best;
  Bytes top = 0;
  for (const Occupied& block : occupied) {
    const Bytes room = block.from - top;
    if (room >= bytes && (!best || room < best->to - best->from)) {
      best = {.from = top, .to = block.from};
      if (gap == GreedyGap::lowest) break;
    }
    top = std::max(top, block.to);
  }
  return best ? best->from : top;
}

std::vector<int> order_of(std::span<const Buffer> buffers, GreedyOrder order) {
  const auto key = [&](int b) {
    const Buffer& buffer = buffers[b];
    const auto width = static_cast<double>(buffer.upper - buffer.lower);
    const auto bytes = static_cast<double>(buffer.bytes);
    switch (order) {
      case GreedyOrder::area:
        return std::tuple(-width * bytes, -bytes, buffer.lower);
      case GreedyOrder::width:
        return std::tuple(-width, -bytes, buffer.lower);
      case GreedyOrder::start:
        return std::tuple(static_cast<double>(buffer.lower), -bytes, buffer.lower);
      case GreedyOrder::size:
        break;
    }
    return std::tuple(-bytes, -width, buffer.lower);
  };
  std::vector<int> result(buffers.size());
  std::iota(result.begin(), result.end(), 0);
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return key(a) < key(b); });
  return result;
}

Placement place_in_order(std::span<const Buffer> buffers, const Sections& sections, Bytes alignment,
                         GreedyOrder order, GreedyGap gap) {
  Placement placement{.offsets = std::vector<Bytes>(buffers.size(), 0), .moves = {}};
  std::vector<std::size_t> placed;  // in order of their offsets
  std::vector<Occupied> occupied;
  for (const int next : order_of(buffers, order)) {
    const auto b = static_cast<std::size_t>(next);
    const Bytes bytes = aligned(buffers[b].bytes, alignment);
    if (bytes == 0) continue;
    occupied.clear();
    for (const std::size_t other : placed) {
      if (!overlap(sections.ranges[b], sections.ranges[other])) continue;
      const Bytes from = placement.offsets[other];
      occupied.push_back({.from = from, .to = from + aligned(buffers[other].bytes, alignment)});
    }
    const Bytes offset = offset_in_gap(occupied, bytes, gap);
    placement.offsets[b] = offset;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](Bytes from, std::size_t other) {
                                     return from < placement.offsets[other];
                                   }),
                  b);
  }
  return placement;
}

}  // namespace

Placement place_greedily(std::span<const Buffer> buffers, Bytes alignment, GreedyOrder order,
                         GreedyGap gap) {
  return place_in_order(buffers, make_sections(buffers, alignment), alignment, order, gap);
}

Placement best_greedy_placement(std::span<const Buffer> buffers, Bytes alignment) {
  const Sections sections = make_sections(buffers, alignment);
  Bytes peak = 0;
  for (const Bytes bytes : sections.bytes) peak = std::max(peak, bytes);
  std::optional<Placement> best;
  Bytes least = 0;
  for (const GreedyGap gap : {GreedyGap::lowest, GreedyGap::tightest}) {
    for (const GreedyOrder order :
         {GreedyOrder::size, GreedyOrder::area, GreedyOrder::width, GreedyOrder::start}) {
      Placement found = place_in_order(buffers, sections, alignment, order, gap);
      const Bytes bytes = arena_bytes(buffers, found, alignment);
      if (best && bytes >= least) continue;
      best = std::move(found);
      least = bytes;
      if (least == peak) return *best;
    }
  }
  return *best;
}

}  // namespace poet
