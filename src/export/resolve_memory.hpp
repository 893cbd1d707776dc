#pragma once

#include <optional>
#include <span>
#include <vector>

#include <poet_runtime.h>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// Where an instruction finds its tensors.
struct ResolvedInstruction {
  int number = 0;  ///< in the program
  poet_op op = POET_COMPUTE;
  int node = 0;
  Bytes offset = 0;                  ///< of the tensor, from the start of the arena; after a move
  Bytes bytes = 0;                   ///< of the tensor, as the graph has them
  Bytes from = 0;                    ///< pages: the offset in storage; a move: the offset before it
  std::optional<int> over{};         ///< as in Instruction
  std::vector<Bytes> inputs{};       ///< offsets by Node::inputs; a computation has them
  std::optional<Bytes> workspace{};  ///< its offset, if there is some
};

struct ResolvedProgram {
  std::vector<ResolvedInstruction> instructions;  ///< all but `free`
  Bytes storage_bytes = 0;                        ///< the end of the highest slot
};

/// Follows a program that has offsets and slots and is valid.
ResolvedProgram resolve_memory(const Graph& graph, std::span<const Instruction> program);

/// The moment at which a tensor comes into RAM, and all until it leaves.
struct Lifetime {
  int node = 0;        ///< the one whose instruction begins it
  int first = 0;       ///< that instruction
  int end = 0;         ///< the instruction that frees it, or else the length of the program;
                       ///< for a workspace, the next instruction
  Bytes offset = 0;    ///< from the start of the arena
  Bytes bytes = 0;     ///< as the graph has them
  bool moves = false;  ///< it has other offsets later
};

/// The lifetimes of tensors and workspaces in such a program, in the order in which they begin. An
/// output that takes over the RAM of an input goes on with the input's.
std::vector<Lifetime> lifetimes_of(const Graph& graph, std::span<const Instruction> program);

}  // namespace poet
