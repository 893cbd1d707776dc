#pragma once

#include <optional>
#include <span>

#include "execute/given_data.hpp"
#include "execute/run_result.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Throws InputError unless the graph is the one of the training step: its nodes, with the bytes of
/// float32 tensors rounded up to the alignment, with every input that their kernels read, and with
/// no output over an input that its kernel has to keep.
void expect_graph_of(const TrainingStep& step, const Graph& graph, Bytes alignment);

/// Runs a flat program on real tensors, and beside it the same steps unscheduled: each tensor once,
/// in memory of its own. Recomputation runs the same code on the same bits and paging copies bits,
/// so gradients, losses and parameters have to be equal bit by bit. `given` replaces parameters and
/// data of the seed. `exact`: the same step without copies, if `step` has some; then the gradients
/// of the last step are compared with those that it gives.
///
/// Throws as expect_graph_of(), and as ScheduledStep does.
RunResult run_schedule(TrainingStep step, const Graph& graph, std::span<const Instruction> program,
                       Bytes alignment, const RunSettings& settings, const GivenData& given = {},
                       std::optional<TrainingStep> exact = std::nullopt);

}  // namespace poet
