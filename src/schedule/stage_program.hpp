#pragma once

#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// The instructions of stage t alone, in the order of to_program. Throws InputError for a stage
/// that names a node outside the graph.
std::vector<Instruction> stage_program(const Graph& graph, const Schedule& schedule, int t);

}  // namespace poet
