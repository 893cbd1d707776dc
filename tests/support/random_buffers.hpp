#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "poet/arena.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// Buffers of any kind, `count` of them, in a time of 2 * count and of up to `max_bytes` each.
inline std::vector<Buffer> random_buffers(Twister& random, int count, int max_bytes) {
  std::vector<Buffer> buffers;
  for (int b = 0; b < count; ++b) {
    const int lower = draw(random, 0, 2 * count - 1);
    buffers.push_back({.lower = lower,
                       .upper = draw(random, lower + 1, 2 * count),
                       .bytes = draw(random, 0, max_bytes)});
  }
  return buffers;
}

/// Cuts a square of time and memory into rectangles, each of them a buffer, so that all of the
/// memory is in use at any time. Then it drops buffers, but none that lives at one certain moment,
/// until `fill` percent of the square are left. This is how the public instances of MiniMalloc
/// look: their buffers lie in stacks that begin and end together, and fill 58 to 98 % of the
/// square; in most of them all of it is in use at one moment. A `unit` of memory and of time is
/// 1024.
class CutSquare {
 public:
  static constexpr int kUnit = 1024;
  static constexpr int kSide = 1024;

  explicit CutSquare(Twister& random) : random_(random) {}

  std::vector<Buffer> cut(int count, int fill) {
    divide({.upper = kSide, .bytes = kSide}, count, chance(random_, 50));
    drop(fill);
    for (Buffer& buffer : buffers_) {
      buffer = {.lower = buffer.lower * kUnit,
                .upper = buffer.upper * kUnit,
                .bytes = buffer.bytes * kUnit};
    }
    return std::move(buffers_);
  }

 private:
  /// Divides a rectangle into two to four, along time or along memory, and those the other way.
  void divide(const Buffer& whole, int count, bool in_time) {
    const int side = static_cast<int>(in_time ? whole.upper - whole.lower : whole.bytes);
    const int parts = std::min({count, draw(random_, 2, 4), side});
    if (count <= 1 || (whole.bytes < 2 && whole.upper - whole.lower < 2)) {
      buffers_.push_back(whole);
      return;
    }
    if (parts < 2) return divide(whole, count, !in_time);
    const std::vector<int> sides = random_parts(side, parts);
    const std::vector<int> counts = shares(sides, count);
    Buffer part = whole;
    for (int p = 0; p < parts; ++p) {
      if (in_time) {
        part.upper = part.lower + sides[p];
      } else {
        part.bytes = sides[p];
      }
      divide(part, counts[p], !in_time);
      if (in_time) part.lower = part.upper;
    }
  }

  std::vector<int> random_parts(int side, int parts) {
    std::vector<int> cuts;
    while (static_cast<int>(cuts.size()) < parts - 1) {
      const int at = draw(random_, 1, side - 1);
      if (std::find(cuts.begin(), cuts.end(), at) == cuts.end()) cuts.push_back(at);
    }
    cuts.push_back(side);
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t c = cuts.size(); --c > 0;) cuts[c] -= cuts[c - 1];
    return cuts;
  }

  /// At least one each; the longer sides get more.
  std::vector<int> shares(const std::vector<int>& sides, int count) {
    std::vector<double> weights;
    double sum = 0;
    for (const int side : sides) {
      weights.push_back(std::sqrt(side) * draw(random_, 3, 10));
      sum += weights.back();
    }
    std::vector<int> result(sides.size(), 1);
    for (int left = count - static_cast<int>(sides.size()); left > 0; --left) {
      double at = sum * draw(random_, 0, 9999) / 10000;
      std::size_t p = 0;
      while (p + 1 < sides.size() && at >= weights[p]) at -= weights[p++];
      ++result[p];
    }
    return result;
  }

  void drop(int fill) {
    const int moment = draw(random_, 0, kSide - 1);
    const std::int64_t wanted = std::int64_t{kSide} * kSide * fill / 100;
    std::int64_t area = std::int64_t{kSide} * kSide;
    for (std::size_t b = buffers_.size(); b > 1; --b) {
      std::swap(buffers_[b - 1], buffers_[draw(random_, 0, static_cast<int>(b) - 1)]);
    }
    std::erase_if(buffers_, [&](const Buffer& buffer) {
      const std::int64_t without = area - (buffer.upper - buffer.lower) * buffer.bytes;
      const bool stays = buffer.lower <= moment && moment < buffer.upper;
      if (stays || without < wanted || !chance(random_, 30)) return false;
      area = without;
      return true;
    });
  }

  Twister& random_;
  std::vector<Buffer> buffers_;
};

/// The number of buffers of a public instance of MiniMalloc, and how much of the square they fill.
struct PublicInstance {
  int count;
  int percent;
};

inline constexpr std::array<PublicInstance, 11> kPublicInstances = {{{154, 95},
                                                                     {170, 98},
                                                                     {203, 97},
                                                                     {213, 89},
                                                                     {215, 89},
                                                                     {296, 66},
                                                                     {308, 64},
                                                                     {316, 58},
                                                                     {374, 90},
                                                                     {409, 81},
                                                                     {454, 94}}};

}  // namespace poet::test
