#include <fmt/format.h>

#include "poet/arena.hpp"
#include "poet/error.hpp"

namespace poet {

ProgramCopies program_copies(const Graph& graph, std::span<const Instruction> program) {
  ProgramCopies copies{.buffers = {}, .of_instruction = std::vector<int>(program.size(), -1)};
  std::vector<int> latest(graph.nodes.size(), -1);  // by node: its newest copy
  for (std::size_t at = 0; at < program.size(); ++at) {
    const Instruction& step = program[at];
    const bool writes = step.op == Instruction::Op::page_out;
    if (!writes && step.op != Instruction::Op::page_in) continue;
    if (step.node < 0 || step.node >= graph.size()) {
      throw InputError(fmt::format("instruction {}: {} is not a node of the graph", at, step.node));
    }
    const auto node = static_cast<std::size_t>(step.node);
    const auto time = static_cast<std::int64_t>(at);
    if (writes) {
      latest[node] = static_cast<int>(copies.buffers.size());
      copies.buffers.push_back({.lower = time, .bytes = bytes_in_storage(graph.nodes[node])});
    } else if (latest[node] < 0) {
      throw InputError(fmt::format("instruction {}: {} has no copy in storage", at, step.node));
    }
    copies.of_instruction[at] = latest[node];
    copies.buffers[latest[node]].upper = time + 1;
  }
  return copies;
}

}  // namespace poet
