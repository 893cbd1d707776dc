#pragma once

#include <optional>
#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// Kernels can work with floats at multiples of this only.
inline constexpr Bytes kFloatBytes = 4;

/// A flat program, and what is known of the places of its tensors.
struct PlacedProgram {
  std::vector<Instruction> instructions;  ///< all but moves
  ProgramBuffers buffers;                 ///< of these instructions
  std::vector<Flight> flights;            ///< likewise
  /// The offsets and moves that the program states; absent if it states none.
  std::optional<Placement> placement;
};

/// Takes a program apart. Throws InputError for one that opens what is in RAM, frees or moves what
/// is not, moves what is transferred beside computations, or has offsets that are missing,
/// negative, no multiples of a float's size, or other than the offset of the input that an output
/// takes over.
PlacedProgram placed_program(const Graph& graph, std::span<const Instruction> program,
                             PagingTime paging_time);

}  // namespace poet
