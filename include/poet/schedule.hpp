#pragma once

#include <optional>
#include <vector>

#include "poet/graph.hpp"

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
  enum class Op { compute, free, page_out, page_in };
  Op op = Op::compute;
  int node = 0;
  std::optional<int> over{};  ///< of a computation: the input whose RAM its output takes over

  bool operator==(const Instruction&) const = default;
};

}  // namespace poet
