// The search for offsets: greedy placements, then branch and bound in three static orders. No one
// order is good for all problems: what one solves in a thousand nodes another does not solve in a
// million. So they take turns, with limits that grow, as in MiniMalloc (Moffitt, ASPLOS 2023). From
// the second round on, the orders are shuffled a little: whether a search is lucky is decided near
// its root, so that many short searches find more than a few long ones. The numbers come from a
// fixed seed, and only a time limit makes a difference between two runs. Before all this, buffers
// that must have the same place become one.

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "arena/branch_and_bound.hpp"
#include "arena/join.hpp"
#include "arena/sections.hpp"
#include "poet/arena.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

constexpr double kFirstNodeLimit = 600;
constexpr double kNodeLimitGrowth = 1.02;
constexpr std::int64_t kNoNodeLimit = std::numeric_limits<std::int64_t>::max();
/// A node looks at every block in each section in which it lives. So many looks take some seconds.
constexpr std::int64_t kMostLooks = 4'000'000'000;
constexpr double kShuffle = 0.5;  ///< a measure grows by up to this share

/// What is large comes first, by a measure and then by others that break its ties.
enum class Measure { pressure, area, width };
using StaticOrder = std::array<Measure, 3>;
constexpr std::array<StaticOrder, 3> kStaticOrders = {{
    {Measure::width, Measure::area, Measure::pressure},
    {Measure::pressure, Measure::area, Measure::width},
    {Measure::pressure, Measure::width, Measure::area},
}};

/// The most bytes of any section that the block lives in.
Bytes pressure_of(const Block& block, const Sections& sections) {
  return *std::max_element(sections.bytes.begin() + block.range.first,
                           sections.bytes.begin() + block.range.end);
}

double measure_of(Measure measure, const Block& block, const Sections& sections,
                  const Buffer& buffer) {
  switch (measure) {
    case Measure::pressure:
      return static_cast<double>(pressure_of(block, sections));
    case Measure::area:
      return static_cast<double>(buffer.upper - buffer.lower) * static_cast<double>(block.bytes);
    case Measure::width:
      break;
  }
  return static_cast<double>(buffer.upper - buffer.lower);
}

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

Deadline deadline_in(Seconds time_limit) {
  constexpr Seconds kForever = 1e8;
  if (time_limit <= 0 || time_limit > kForever) return std::nullopt;
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit));
}

class PlaceSearch {
 public:
  PlaceSearch(std::span<const Buffer> buffers, const Sections& sections, const Arena& arena,
              const PlaceLimits& limits, Deadline deadline)
      : buffers_(buffers),
        sections_(sections),
        arena_(arena),
        max_nodes_(most_nodes(limits, sections)),
        deadline_(deadline) {}

  PlacementResult run() {
    PlacementResult result;
    double shuffle = 0;
    for (double limit = kFirstNodeLimit;; limit *= kNodeLimitGrowth) {
      for (const StaticOrder& order : kStaticOrders) {
        const std::int64_t left = max_nodes_ - result.node_count;
        if (left <= 0 || expired()) return result;
        search(sort_buffers(order, shuffle), std::min(left, static_cast<std::int64_t>(limit)),
               result);
        if (result.status != PlacementStatus::cut_short) return result;
      }
      shuffle = kShuffle;
    }
  }

 private:
  /// A limit of nodes stands for a limit of work, which grows with lifetimes as well. A placement
  /// takes a node for each buffer, so if work allows fewer there is nothing to be found.
  static std::int64_t most_nodes(const PlaceLimits& limits, const Sections& sections) {
    if (limits.search_nodes <= 0) return kNoNodeLimit;
    std::int64_t looks = 1;
    for (const SectionRange& range : sections.ranges) looks += range.end - range.first;
    const std::int64_t most = kMostLooks / looks;
    return most < std::ssize(sections.ranges) ? 0 : std::min(limits.search_nodes, most);
  }

  bool expired() const { return deadline_ && Clock::now() >= *deadline_; }

  void search(const std::vector<int>& sorted, std::int64_t max_nodes,
              PlacementResult& result) const {
    std::vector<Block> blocks;
    blocks.reserve(sorted.size());
    for (const int b : sorted) blocks.push_back(block_of(b));
    const SearchResult found =
        branch_and_bound(blocks, static_cast<int>(sections_.bytes.size()), arena_.capacity_bytes,
                         max_nodes, [this] { return expired(); });
    result.status = found.status;
    result.node_count += found.node_count;
    if (found.status != PlacementStatus::fits) return;
    result.placement.offsets.assign(buffers_.size(), 0);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      result.placement.offsets[sorted[i]] = found.offsets[i];
    }
  }

  Block block_of(int b) const {
    return {.range = sections_.ranges[b], .bytes = aligned(buffers_[b].bytes, arena_.alignment)};
  }

  /// Empty buffers are at 0 and need no search.
  std::vector<int> sort_buffers(const StaticOrder& order, double shuffle) {
    std::vector<std::pair<std::array<double, 3>, int>> keys;
    for (int b = 0; b < static_cast<int>(buffers_.size()); ++b) {
      if (buffers_[b].bytes == 0) continue;
      std::array<double, 3> key{};
      for (std::size_t m = 0; m < order.size(); ++m) {
        key[m] = -measure_of(order[m], block_of(b), sections_, buffers_[b]) *
                 (1 + shuffle * random_share());
      }
      keys.emplace_back(key, b);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<int> sorted;
    sorted.reserve(keys.size());
    for (const auto& [key, b] : keys) sorted.push_back(b);
    return sorted;
  }

  /// From 0 to 1. The standard distributions differ between libraries.
  double random_share() {
    return static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
  }

  std::span<const Buffer> buffers_;
  const Sections& sections_;
  const Arena& arena_;
  std::int64_t max_nodes_;
  Deadline deadline_;
  std::mt19937 random_;
};

// The search knows only the joined buffers; the offsets of the given ones are shifts within them.
PlacementResult search_joined(std::span<const Buffer> buffers, const Arena& arena,
                              const PlaceLimits& limits, Deadline deadline) {
  const JoinedBuffers joined = join_buffers(buffers, arena);
  const Sections sections = make_sections(joined.buffers, arena.alignment);
  PlacementResult result = PlaceSearch(joined.buffers, sections, arena, limits, deadline).run();
  if (result.status != PlacementStatus::fits) return result;
  std::vector<Bytes> offsets;
  offsets.reserve(buffers.size());
  for (const JoinedPart& part : joined.parts) {
    offsets.push_back(result.placement.offsets[part.buffer] + part.shift);
  }
  result.placement.offsets = std::move(offsets);
  return result;
}

}  // namespace

PlacementResult place(std::span<const Buffer> buffers, const Arena& arena,
                      const PlaceLimits& limits) {
  const Deadline deadline = deadline_in(limits.seconds);
  const Sections sections = make_sections(buffers, arena.alignment);
  const bool too_much = std::any_of(sections.bytes.begin(), sections.bytes.end(),
                                    [&](Bytes bytes) { return bytes > arena.capacity_bytes; });
  if (too_much) return {.status = PlacementStatus::impossible, .placement = {}};
  Placement greedy = best_greedy_placement(buffers, arena.alignment);
  if (arena_bytes(buffers, greedy, arena.alignment) <= arena.capacity_bytes) {
    return {.status = PlacementStatus::fits, .placement = std::move(greedy)};
  }
  return search_joined(buffers, arena, limits, deadline);
}

}  // namespace poet
