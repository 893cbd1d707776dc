#pragma once

#include <cstdint>

namespace poet {

/// A moment of a step: a stage, and within it the start (key 0), or the computation of node k (key
/// k + 1). Stages compute in ascending order, so positions are ordered as time is.
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
constexpr int stage_of(Position at) {
  return static_cast<int>(at >> kStageShift);
}
/// The node that is computed; -1 at the start of a stage.
constexpr int node_at(Position at) {
  return static_cast<int>(at & ((Position{1} << kStageShift) - 1)) - 1;
}
constexpr bool is_computation(Position at) {
  return node_at(at) >= 0;
}

}  // namespace poet
