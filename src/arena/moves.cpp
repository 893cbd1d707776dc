// What to do if no offsets are known that fit: move buffers while they are in use. An allocator at
// run time cannot do that, since it does not know who has pointers into a buffer. A schedule's
// instructions name tensors, so that a memmove before an instruction is all that it takes. The
// bytes in use never exceed the peak, so moving everything down always makes enough room.
//
// With transfers that overlap with computations, this moves what a DMA controller is reading or
// writing. What is in flight, or arrives, may be moved only at the start of its stage. So the stage
// is tried with all of it where it happens to be. If what lies between is too scattered then, it is
// gathered at one end of the arena when the stage starts. That is enough for the stage:
//
// - All that arrives counts from the start of the stage (rule 5 of docs/schedule-format.md), so its
//   place is free then: in use are at most the peak less what arrives.
// - Flights of a stage end together, after everything else in it. So the gathered end stays as it
//   is for the whole stage, and the rest of the arena is one piece without anything in flight.
// - What else is in use at any time of the stage has room in that piece, since all of it together
//   is at most the peak. Moving it towards one end makes its free bytes one gap, as above.
//
// Gathering has to change the order of buffers, and copies need room: two neighbours change places
// only if one of them is no larger than the free bytes, which include the bytes of what arrives. A
// stage has that room unless it starts with nearly all bytes in use by large tensors, and then
// computes something small, or in place, that lets it free them. Then the order has to be right
// before. There are schedules for which no order is right: A, B, Z and Y fill the arena, B becomes
// three tensors in one stage, and in each of the next stages one of A, Z and Y is freed together
// with another of the three, for a tensor as large as both, while all else is written out. One of
// the three lies between the others, and has only one chance. So this can fail, and it tries other
// first offsets before it does. Of random schedules at exactly their peak one in ten thousand
// fails, and all of these have offsets without moves, which are searched first.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arena/moving_memory.hpp"
#include "poet/arena.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::int64_t kUntilTheEnd = std::numeric_limits<std::int64_t>::max();

/// Buffers of no bytes stay at 0. If one were in flight, nothing could be moved past it.
std::vector<Bytes> without_empty(std::span<const Buffer> buffers, std::vector<Bytes> offsets) {
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].bytes == 0) offsets[b] = 0;
  }
  return offsets;
}

class MovingPlacer {
 public:
  /// `flights` may be empty.
  MovingPlacer(std::span<const Buffer> buffers, const Arena& arena, const std::vector<Bytes>& hint,
               std::span<const Flight> flights)
      : flights_(flights),
        memory_(buffers, arena, flights.empty() ? hint : without_empty(buffers, hint)),
        flies_(buffers.size(), false) {
    for (const Buffer& buffer : buffers) starts_.push_back(buffer.lower);
    // What arrives takes its place when its transfer begins.
    for (const Flight& flight : flights) {
      starts_[flight.buffer] = std::min(starts_[flight.buffer], flight.lower);
    }
    order_.resize(buffers.size());
    std::iota(order_.begin(), order_.end(), 0);
    if (!flights.empty()) std::erase_if(order_, [&](int b) { return buffers[b].bytes == 0; });
    // Of those that start together, the largest first: it is the hardest to find room for.
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return std::pair(starts_[a], -buffers[a].bytes) < std::pair(starts_[b], -buffers[b].bytes);
    });
  }

  std::optional<Placement> run() {
    for (std::size_t first = 0; first < flights_.size();) {
      std::size_t end = first + 1;
      while (end < flights_.size() && flights_[end].lower == flights_[first].lower) ++end;
      if (!start_until(flights_[first].lower)) return std::nullopt;
      if (!run_stage(flights_.subspan(first, end - first))) return std::nullopt;
      first = end;
    }
    if (!start_until(kUntilTheEnd)) return std::nullopt;
    return memory_.take();
  }

 private:
  /// Starts all that start before this time.
  bool start_until(std::int64_t time) {
    while (next_ < order_.size() && starts_[order_[next_]] < time) {
      const std::span<const int> group = next_group();
      memory_.pass_to(starts_[group.front()]);
      if (!memory_.put_with_moves(group, flies_)) return false;
    }
    return true;
  }

  /// The next buffers that start together.
  std::span<const int> next_group() {
    const std::size_t first = next_;
    while (next_ < order_.size() && starts_[order_[next_]] == starts_[order_[first]]) ++next_;
    return std::span(order_).subspan(first, next_ - first);
  }

  /// Leaves what is in flight where it is, if that works, and otherwise gathers it.
  bool run_stage(std::span<const Flight> flights) {
    const std::int64_t time = flights.front().lower;
    const bool any_arrive = next_ < order_.size() && starts_[order_[next_]] == time;
    const std::span<const int> arriving = any_arrive ? next_group() : std::span<const int>();
    const std::vector<bool> nothing(flies_.size(), false);
    for (const Flight& flight : flights) flies_[flight.buffer] = true;
    memory_.pass_to(time);
    const std::size_t next = next_;
    const MovingMemory before = memory_;
    bool done = memory_.put_with_moves(arriving, nothing) && start_until(flights.front().upper);
    for (const bool low : {true, false}) {
      if (done) break;
      memory_ = before;
      next_ = next;
      done = memory_.gather(arriving, flies_, low) && start_until(flights.front().upper);
    }
    flies_ = nothing;
    return done;
  }

  std::span<const Flight> flights_;
  std::vector<std::int64_t> starts_;  ///< by buffer
  std::vector<int> order_;            ///< of their starts
  std::size_t next_ = 0;              ///< in `order_`
  MovingMemory memory_;
  std::vector<bool> flies_;  ///< by buffer: it may not be moved now
};

bool moves_in_flight(const Placement& placement, std::span<const Flight> flights) {
  return std::any_of(placement.moves.begin(), placement.moves.end(), [&](const Move& move) {
    return std::any_of(flights.begin(), flights.end(), [&](const Flight& flight) {
      return flight.buffer == move.buffer && flight.lower < move.time && move.time < flight.upper;
    });
  });
}

/// Offsets to begin with, which lead to other orders of buffers.
std::vector<Placement> other_hints(std::span<const Buffer> buffers, const Arena& arena) {
  std::vector<Placement> hints = {{.offsets = std::vector<Bytes>(buffers.size(), 0), .moves = {}}};
  for (const GreedyOrder order :
       {GreedyOrder::size, GreedyOrder::area, GreedyOrder::width, GreedyOrder::start}) {
    for (const GreedyGap gap : {GreedyGap::lowest, GreedyGap::tightest}) {
      hints.push_back(place_greedily(buffers, arena.alignment, order, gap));
    }
  }
  return hints;
}

}  // namespace

std::optional<Placement> place_with_moves(std::span<const Buffer> buffers, const Arena& arena,
                                          const Placement& hint, std::span<const Flight> flights) {
  const Bytes peak = peak_bytes(buffers, arena.alignment);
  if (peak > arena.capacity_bytes) {
    throw InputError(fmt::format("the capacity is {} bytes; expected at least the peak of {} bytes",
                                 arena.capacity_bytes, peak));
  }
  std::optional<Placement> found = MovingPlacer(buffers, arena, hint.offsets, {}).run();
  if (!moves_in_flight(*found, flights)) return found;
  found = MovingPlacer(buffers, arena, hint.offsets, flights).run();
  if (found) return found;
  for (const Placement& other : other_hints(buffers, arena)) {
    found = MovingPlacer(buffers, arena, other.offsets, flights).run();
    if (found) break;
  }
  return found;
}

}  // namespace poet
