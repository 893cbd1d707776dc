#pragma once

#include <span>
#include <vector>

#include "execute/given_data.hpp"
#include "execute/run_schedule.hpp"
#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Runs a flat program again and again, each time from the same parameters and data, and returns
/// the times of its instructions. The first run, which touches memory for the first time, is not
/// one of them. There are settings.steps more, and at least five; then as many as fit into
/// three seconds, up to fifty. settings.check is ignored: filling memory takes time of its own.
InstructionTimes profile_program(const TrainingStep& step, const Graph& graph,
                                 std::span<const Instruction> program, Bytes alignment,
                                 const RunSettings& settings, const GivenData& given);

/// What the page file takes for tensors of the sizes in the graph.
struct PageTimes {
  std::vector<TransferTime> in;
  std::vector<TransferTime> out;
};
PageTimes time_page_file(const Graph& graph, const RunSettings& settings);

}  // namespace poet
