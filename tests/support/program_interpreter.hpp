#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet::test {

/// What a device would see of a flat program. `fault` is empty for a program that runs.
struct Execution {
  Joules energy_joules = 0;
  Bytes peak_ram_bytes = 0;
  std::size_t tensors_left = 0;  ///< in RAM after the last instruction
  std::string fault;
};

/// Executes a program one instruction at a time and knows nothing of stages: an instruction may
/// use what RAM and secondary storage hold at that moment, and nothing else.
inline Execution execute(const Graph& graph, std::span<const Instruction> program) {
  std::map<int, Bytes> ram;
  std::set<int> storage;
  Execution run;
  Joules compute = 0;
  Joules page_in = 0;
  Joules page_out = 0;
  const auto fail = [&](const std::string& what, int node) {
    if (run.fault.empty()) run.fault = what + " " + std::to_string(node);
  };
  for (const Instruction& step : program) {
    const Node& node = graph.nodes.at(step.node);
    Bytes workspace = 0;
    const bool held = ram.contains(step.node);
    if (step.op == Instruction::Op::compute) {
      for (const int input : node.inputs) {
        if (!ram.contains(input)) fail("missing input", input);
      }
      if (held) fail("computed while in RAM:", step.node);
      if (step.over) {
        if (node.in_place != step.over) fail("may not take over the RAM of", *step.over);
        if (ram.erase(*step.over) == 0) fail("takes over what is not in RAM:", *step.over);
      }
      ram[step.node] = node.bytes;
      workspace = node.workspace_bytes;
      compute += node.energy_joules;
    } else if (step.op == Instruction::Op::free) {
      if (!held) fail("freed what is not in RAM:", step.node);
      ram.erase(step.node);
    } else if (step.op == Instruction::Op::page_out) {
      if (!held) fail("paged out what is not in RAM:", step.node);
      storage.insert(step.node);
      page_out += node.page_out_energy_joules;
    } else {
      if (held || !storage.contains(step.node)) fail("cannot page in", step.node);
      ram[step.node] = node.bytes;
      page_in += node.page_in_energy_joules;
    }
    Bytes used = workspace;
    for (const auto& [tensor, bytes] : ram) used += bytes;
    run.peak_ram_bytes = std::max(run.peak_ram_bytes, used);
  }
  run.energy_joules = compute + page_in + page_out;
  run.tensors_left = ram.size();
  return run;
}

}  // namespace poet::test
