#include "poet/simulate.hpp"
#include "schedule/ram.hpp"
#include "schedule/stage_program.hpp"

namespace poet {

std::vector<RamSample> ram_timeline(const Graph& graph, const Schedule& schedule) {
  std::vector<RamSample> samples;
  for (int t = 0; t < static_cast<int>(schedule.stages.size()); ++t) {
    Ram ram(graph, schedule.stages[t].resident);
    for (const Instruction& step : stage_program(graph, schedule, t)) {
      if (step.op == Instruction::Op::free) ram.free(step.node);
      if (step.op != Instruction::Op::compute) continue;
      ram.add(step.node);
      samples.push_back({.stage = t, .node = step.node, .ram_bytes = ram.bytes()});
    }
  }
  return samples;
}

}  // namespace poet
