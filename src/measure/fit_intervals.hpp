#pragma once

#include <span>
#include <string>

#include "measure/measured_costs.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// The ends between which the middle half of some times lies: the first and the third quartile, or
/// the smallest and the largest of fewer than four. There has to be one time at least.
struct Spread {
  Seconds least = 0;
  Seconds most = 0;
};
Spread spread(std::vector<Seconds> times);

/// States in a fitted platform between which ends its rates lie: the FLOPs of an op's nodes by the
/// sum of their quartiles. An op whose times are all alike gets no interval. Then the platform is
/// measured, and each of its figures has a source: `how` for what was measured, `board` for what
/// was not.
void add_intervals(Platform& platform, const Model& model, const Graph& graph,
                   std::span<const Instruction> program, const InstructionTimes& times,
                   const std::string& how, const std::string& board);

}  // namespace poet
