#pragma once

#include <span>
#include <vector>

#include "poet/arena.hpp"
#include "poet/schedule.hpp"

namespace poet {

/// Returns a program without moves with the offsets of its tensors and workspaces, and with moves
/// where the placement of its lifetimes has them.
std::vector<Instruction> with_offsets(std::span<const Instruction> program,
                                      const ProgramBuffers& lifetimes, const Placement& placement);

/// Writes the slots of its copies into a program without moves.
void write_slots(std::span<Instruction> program, const ProgramCopies& copies,
                 std::span<const Bytes> slots);

}  // namespace poet
