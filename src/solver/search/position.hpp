#pragma once

#include <cstdint>

namespace poet {

/// A moment of a step: a stage, and within it the start (key 0), the computation of node k (key
/// k + 1), or the end (the largest key). Stages compute in ascending order, so positions are
/// ordered as time is.
using Position = std::int64_t;

inline constexpr int kStageShift = 32;

/// When stage `stage` computes `node`.
constexpr Position computation(int stage, int node) {
  return (Position{stage} << kStageShift) + node + 1;
}
/// When stage `stage` starts: what is paged in during the stage before is there from now on.
constexpr Position stage_start(int stage) {
  return Position{stage} << kStageShift;
}
/// When stage `stage` ends: what is written out during it has a copy from now on.
constexpr Position stage_end(int stage) {
  return stage_start(stage + 1) - 1;
}
constexpr int stage_of(Position at) {
  return static_cast<int>(at >> kStageShift);
}
/// The node that is computed; negative at the start and at the end of a stage.
constexpr int node_at(Position at) {
  return static_cast<int>(at & ((Position{1} << kStageShift) - 1)) - 1;
}
constexpr bool is_computation(Position at) {
  return node_at(at) >= 0;
}
constexpr bool is_stage_end(Position at) {
  return at == stage_end(stage_of(at));
}

/// SplitMix64 (Steele, Lea and Flood 2014). It gives the same numbers on every machine, which the
/// distributions of the standard library do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound must be positive and below 2^32.
  int below(int bound) {
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(bound) >> 32);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace poet
