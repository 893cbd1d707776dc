#pragma once

#include <span>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// What one transfer took.
struct TransferTime {
  Bytes bytes = 0;  ///< in whole blocks
  Seconds seconds = 0;
};

/// The measured times of a training step.
struct StepTimes {
  std::vector<Seconds> compute;        ///< by node: the median of its computations
  std::vector<TransferTime> page_in;   ///< one for each instruction: the median of its times
  std::vector<TransferTime> page_out;  ///< likewise
};

/// By instruction of a flat program: what each of its executions took.
using InstructionTimes = std::vector<std::vector<Seconds>>;

/// The middle of some times, or the mean of the two in the middle: one that another program
/// interrupted does not count. There has to be one at least.
Seconds median(std::vector<Seconds> times);

/// Sorts times by what the instructions do. The times of `free` and `move` are not used: a graph
/// has no costs for them. Less than a picosecond counts as no time. Throws InputError, with the
/// number of the instruction, for any other without a time.
StepTimes step_times(const Graph& graph, std::span<const Instruction> program,
                     const InstructionTimes& times);

/// The power of each computation, in watts: its energy by its time, as the graph states both. A
/// node without a time has the power of all nodes together; 0 if none has a time.
std::vector<double> compute_watts(const Graph& graph);

}  // namespace poet
