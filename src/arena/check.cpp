// The judge of placements. It goes through time and looks at every pair of buffers that are in use,
// without any of the ideas that make the search fast: no sections, no orders, no floors.

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "poet/arena.hpp"

namespace poet {
namespace {

class PlacementChecker {
 public:
  PlacementChecker(std::span<const Buffer> buffers, const Arena& arena, const Placement& placement,
                   std::span<const Flight> flights)
      : buffers_(buffers), arena_(arena), placement_(placement), flights_(flights) {}

  std::vector<std::string> run() {
    if (placement_.offsets.size() != buffers_.size()) {
      return {fmt::format("{} offsets for {} buffers", placement_.offsets.size(), buffers_.size())};
    }
    std::vector<int> starts(buffers_.size());
    std::iota(starts.begin(), starts.end(), 0);
    std::stable_sort(starts.begin(), starts.end(),
                     [&](int a, int b) { return buffers_[a].lower < buffers_[b].lower; });
    std::size_t next_start = 0;
    for (const Move& move : placement_.moves) {
      for (; next_start < starts.size() && buffers_[starts[next_start]].lower < move.time;
           ++next_start) {
        start(starts[next_start]);
      }
      apply(move);
    }
    for (; next_start < starts.size(); ++next_start) start(starts[next_start]);
    return std::move(findings_);
  }

 private:
  void start(int buffer) {
    pass_to(buffers_[buffer].lower);
    put(buffer, placement_.offsets[buffer], buffers_[buffer].lower);
  }

  void apply(const Move& move) {
    if (move.time < now_) {
      findings_.push_back(
          fmt::format("a move at {} comes after what happens at {}", move.time, now_));
      return;
    }
    pass_to(move.time);
    if (in_use_.erase(move.buffer) == 0) {
      findings_.push_back(
          fmt::format("buffer {} is moved at {}, but is not in use", move.buffer, move.time));
      return;
    }
    for (const Flight& flight : flights_) {
      const bool flies = flight.lower < move.time && move.time < flight.upper;
      if (flight.buffer != move.buffer || !flies) continue;
      findings_.push_back(fmt::format("buffer {} is moved at {}, but is in flight from {} to {}",
                                      move.buffer, move.time, flight.lower, flight.upper));
    }
    put(move.buffer, move.offset, move.time);
  }

  /// Ends what has ended by this time.
  void pass_to(std::int64_t time) {
    now_ = time;
    std::erase_if(in_use_, [&](const auto& entry) { return buffers_[entry.first].upper <= time; });
  }

  // Quadratic in what is in use at once, which is a small part of a program's buffers.
  void put(int buffer, Bytes offset, std::int64_t time) {
    const Bytes end = offset + buffers_[buffer].bytes;
    if (offset < 0 || end > arena_.capacity_bytes) {
      findings_.push_back(fmt::format("buffer {} is at {} to {} from {} on; the capacity is {}",
                                      buffer, offset, end, time, arena_.capacity_bytes));
    }
    if (offset % arena_.alignment != 0) {
      findings_.push_back(fmt::format("buffer {} is at {}, which is not a multiple of {}", buffer,
                                      offset, arena_.alignment));
    }
    for (const auto& [other, from] : in_use_) {
      const bool apart = from + buffers_[other].bytes <= offset || end <= from;
      if (apart || buffers_[buffer].bytes == 0 || buffers_[other].bytes == 0) continue;
      findings_.push_back(fmt::format("buffers {} and {} overlap from {} on", other, buffer, time));
    }
    in_use_[buffer] = offset;
  }

  std::span<const Buffer> buffers_;
  const Arena& arena_;
  const Placement& placement_;
  std::span<const Flight> flights_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
  std::map<int, Bytes> in_use_;  ///< offsets by buffer
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> check_placement(std::span<const Buffer> buffers, const Arena& arena,
                                         const Placement& placement,
                                         std::span<const Flight> flights) {
  return PlacementChecker(buffers, arena, placement, flights).run();
}

}  // namespace poet
