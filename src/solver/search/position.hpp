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

}  // namespace poet
