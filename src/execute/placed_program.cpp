#include "execute/placed_program.hpp"

#include <algorithm>
#include <iterator>

namespace poet {
namespace {

bool is_move(const Instruction& step) {
  return step.op == Instruction::Op::move;
}

bool has_offset(const Instruction& step) {
  return step.offset.has_value();
}

/// The offsets of a program, `placed` without its moves.
Placement stated_placement(const Graph& graph, std::span<const Instruction> program,
                           const ProgramBuffers& placed) {
  Placement placement;
  placement.offsets.assign(placed.buffers.size(), 0);
  std::vector<int> buffer_of(graph.nodes.size(), -1);
  std::size_t at = 0;
  for (const Instruction& step : program) {
    int& buffer = buffer_of[static_cast<std::size_t>(step.node)];
    const Bytes offset = step.offset.value_or(0);
    if (is_move(step)) {
      placement.moves.push_back(
          {.time = static_cast<std::int64_t>(at), .buffer = buffer, .offset = offset});
      continue;
    }
    if (placed.of_instruction[at] >= 0) buffer = placed.of_instruction[at];
    if (has_offset(step) && !step.over) {
      placement.offsets[static_cast<std::size_t>(buffer)] = offset;
    }
    if (const int workspace = placed.workspace[at]; workspace >= 0) {
      placement.offsets[static_cast<std::size_t>(workspace)] = step.workspace_offset.value_or(0);
    }
    ++at;
  }
  return placement;
}

}  // namespace

PlacedProgram placed_program(const Graph& graph, std::span<const Instruction> program) {
  PlacedProgram placed;
  std::copy_if(program.begin(), program.end(), std::back_inserter(placed.instructions),
               [](const Instruction& step) { return !is_move(step); });
  placed.buffers = program_buffers(graph, placed.instructions);
  if (std::any_of(program.begin(), program.end(), has_offset)) {
    placed.placement = stated_placement(graph, program, placed.buffers);
  }
  return placed;
}

}  // namespace poet
