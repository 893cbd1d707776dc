#pragma once

#include <optional>
#include <vector>

#include "poet/graph.hpp"
#include "poet/units.hpp"

namespace poet {

/// Stage t of a schedule: it computes node t for the first time and may recompute earlier nodes.
/// All lists hold node indices in ascending order.
struct Stage {
  std::vector<int> resident;  ///< in RAM when the stage starts
  std::vector<int> compute;   ///< computed in this stage, in order; the last one is t itself
  std::vector<int> page_out;  ///< written to secondary storage from RAM, resident at the start
  std::vector<int> page_in;   ///< read back; in RAM from the start of the next stage

  bool operator==(const Stage&) const = default;
};

/// A training step as T stages for T nodes: the frontier-advancing form of Checkmate (Jain et al.,
/// MLSys 2020, section 4) with the paging of POET (Patil et al., ICML 2022). Plain data: only
/// simulate() knows whether it is valid.
struct Schedule {
  std::vector<Stage> stages;

  bool operator==(const Schedule&) const = default;
};

/// One step of the flat program that a device runs.
struct Instruction {
  enum class Op { compute, free, page_out, page_in, move };
  Op op = Op::compute;
  int node = 0;
  std::optional<int> over{};  ///< of a computation: the input whose RAM its output takes over
  // Only a program with offsets has these, in bytes from the start of the arena.
  std::optional<Bytes> offset{};            ///< where the tensor is from here on
  std::optional<Bytes> workspace_offset{};  ///< of a computation with a workspace
  /// Of a transfer: where the copy is, in bytes from the start of secondary storage.
  std::optional<Bytes> slot{};

  bool operator==(const Instruction&) const = default;
};

}  // namespace poet
