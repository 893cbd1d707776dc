#include "report/write_offsets.hpp"

#include <utility>

namespace poet {
namespace {

/// Writes a placement into a program: offsets where tensors appear, and moves between.
class OffsetWriter {
 public:
  OffsetWriter(const ProgramBuffers& lifetimes, const Placement& placement)
      : lifetimes_(lifetimes), offsets_(placement.offsets), moves_(placement.moves) {}

  std::vector<Instruction> write(std::span<const Instruction> program) {
    node_in_.assign(lifetimes_.buffers.size(), -1);
    for (std::size_t at = 0; at < program.size(); ++at) {
      write_moves(static_cast<std::int64_t>(at));
      Instruction step = program[at];
      if (const int buffer = lifetimes_.of_instruction[at]; buffer >= 0) {
        node_in_[buffer] = step.node;
        step.offset = offsets_[buffer];
      }
      if (const int buffer = lifetimes_.workspace[at]; buffer >= 0) {
        step.workspace_offset = offsets_[buffer];
      }
      placed_.push_back(step);
    }
    return std::move(placed_);
  }

 private:
  void write_moves(std::int64_t time) {
    for (; next_move_ < moves_.size() && moves_[next_move_].time == time; ++next_move_) {
      const Move& move = moves_[next_move_];
      offsets_[move.buffer] = move.offset;
      placed_.push_back(
          {.op = Instruction::Op::move, .node = node_in_[move.buffer], .offset = move.offset});
    }
  }

  const ProgramBuffers& lifetimes_;
  std::vector<Bytes> offsets_;  ///< by buffer, where it is now
  const std::vector<Move>& moves_;
  std::size_t next_move_ = 0;
  std::vector<int> node_in_;  ///< by buffer: the node whose output it holds now
  std::vector<Instruction> placed_;
};

}  // namespace

std::vector<Instruction> with_offsets(std::span<const Instruction> program,
                                      const ProgramBuffers& lifetimes, const Placement& placement) {
  return OffsetWriter(lifetimes, placement).write(program);
}

void write_slots(std::span<Instruction> program, const ProgramCopies& copies,
                 std::span<const Bytes> slots) {
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (const int copy = copies.of_instruction[at]; copy >= 0) {
      program[at].slot = slots[copy];
    }
  }
}

}  // namespace poet
