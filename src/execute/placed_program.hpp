#pragma once

#include <optional>
#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// A flat program, and what is known of the places of its tensors.
struct PlacedProgram {
  std::vector<Instruction> instructions;  ///< all but moves
  ProgramBuffers buffers;                 ///< of these instructions
  /// The offsets and moves that the program states; absent if it states none.
  std::optional<Placement> placement;
};

/// Takes a program apart. Throws InputError for one that opens what is in RAM, or frees what is
/// not.
PlacedProgram placed_program(const Graph& graph, std::span<const Instruction> program);

}  // namespace poet
