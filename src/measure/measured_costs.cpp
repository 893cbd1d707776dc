#include "measure/measured_costs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

const std::vector<Seconds>& times_of(const Graph& graph, std::span<const Instruction> program,
                                     const InstructionTimes& times, std::size_t at) {
  if (!times[at].empty()) return times[at];
  const std::string& name = graph.nodes[program[at].node].name;
  throw InputError(
      fmt::format("found no time of instruction {}, which is about '{}'; expected one "
                  "for each computation and transfer",
                  at, printable(name)));
}

/// No clock shows less than a picosecond: what is below counts as 0, and never divides.
Seconds usual_time(std::vector<Seconds> times) {
  constexpr Seconds kLeast = 1e-12;
  const Seconds time = median(std::move(times));
  return time < kLeast ? 0 : time;
}

}  // namespace

Seconds median(std::vector<Seconds> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

StepTimes step_times(const Graph& graph, std::span<const Instruction> program,
                     const InstructionTimes& times) {
  StepTimes step;
  InstructionTimes by_node(graph.nodes.size());
  for (std::size_t at = 0; at < program.size(); ++at) {
    const auto node = static_cast<std::size_t>(program[at].node);
    const Bytes bytes = bytes_in_storage(graph.nodes[node]);
    switch (program[at].op) {
      case Instruction::Op::compute: {
        const std::vector<Seconds>& taken = times_of(graph, program, times, at);
        by_node[node].insert(by_node[node].end(), taken.begin(), taken.end());
        break;
      }
      case Instruction::Op::page_in:
        step.page_in.push_back({bytes, usual_time(times_of(graph, program, times, at))});
        break;
      case Instruction::Op::page_out:
        step.page_out.push_back({bytes, usual_time(times_of(graph, program, times, at))});
        break;
      case Instruction::Op::free:
      case Instruction::Op::move:
        break;
    }
  }
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    if (by_node[node].empty()) {
      throw InputError(fmt::format("the program does not compute '{}'; expected every node",
                                   printable(graph.nodes[node].name)));
    }
    step.compute.push_back(usual_time(std::move(by_node[node])));
  }
  return step;
}

std::vector<double> compute_watts(const Graph& graph) {
  Seconds seconds = 0;
  Joules energy = 0;
  for (const Node& node : graph.nodes) {
    seconds += node.runtime_seconds;
    energy += node.energy_joules;
  }
  const double usual = seconds > 0 ? energy / seconds : 0;
  std::vector<double> watts;
  for (const Node& node : graph.nodes) {
    const bool is_known = node.runtime_seconds > 0;
    watts.push_back(is_known ? node.energy_joules / node.runtime_seconds : usual);
  }
  return watts;
}

}  // namespace poet
