// A program has its moves among the instructions, and a placement has them in a list with times.
// Time counts the other instructions, as src/arena does, so moves are taken out first and get the
// number of the instruction that comes after them. Offsets are all stated or none: a program with a
// gap would have to be placed around what it states. Whether two tensors overlap is found where the
// program runs, which sees what is in use at each moment (ScheduledStep::claim).

#include "execute/placed_program.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

bool is_move(const Instruction& step) {
  return step.op == Instruction::Op::move;
}

bool has_offset(const Instruction& step) {
  return step.offset.has_value();
}

/// Collects the offsets that a program states, and refuses what kernels could not work with.
class OffsetReader {
 public:
  OffsetReader(const Graph& graph, const ProgramBuffers& buffers)
      : graph_(graph),
        buffers_(buffers),
        buffer_of_(graph.nodes.size(), -1),
        current_(buffers.buffers.size(), 0) {
    placement_.offsets.assign(buffers.buffers.size(), 0);
  }

  /// `program` has moves, which the buffers do not know.
  Placement read(std::span<const Instruction> program) {
    std::size_t at = 0;
    for (const Instruction& step : program) {
      if (is_move(step)) {
        move(static_cast<std::int64_t>(at), step);
      } else {
        place(at++, step);
      }
      ++place_;
    }
    return std::move(placement_);
  }

 private:
  void move(std::int64_t time, const Instruction& step) {
    const int buffer = buffer_of_[step.node];
    if (buffer < 0) fail(step, "is moved, but is not in RAM");
    const Bytes offset = checked(step, step.offset);
    current_[buffer] = offset;
    placement_.moves.push_back({.time = time, .buffer = buffer, .offset = offset});
  }

  void place(std::size_t at, const Instruction& step) {
    int& buffer = buffer_of_[step.node];
    if (step.op == Instruction::Op::free) buffer = -1;
    if (const int opened = buffers_.of_instruction[at]; opened >= 0) {
      buffer = opened;
      const Bytes offset = checked(step, step.offset);
      if (!step.over) {
        put(opened, offset);
      } else if (offset != current_[opened]) {
        fail(step, fmt::format("is at {}; expected {}, where the input is that it takes over",
                               offset, current_[opened]));
      }
      if (step.over) buffer_of_[*step.over] = -1;
    }
    if (const int workspace = buffers_.workspace[at]; workspace >= 0) {
      put(workspace, checked(step, step.workspace_offset));
    }
  }

  void put(int buffer, Bytes offset) {
    placement_.offsets[buffer] = offset;
    current_[buffer] = offset;
  }

  Bytes checked(const Instruction& step, const std::optional<Bytes>& offset) const {
    if (!offset) fail(step, "has no offset, but others have");
    if (*offset < 0 || *offset % kFloatBytes != 0) {
      fail(step, fmt::format("is at {}; expected a multiple of {}", *offset, kFloatBytes));
    }
    return *offset;
  }

  [[noreturn]] void fail(const Instruction& step, const std::string& what) const {
    throw InputError(fmt::format("instruction {}: '{}' {}", place_,
                                 printable(graph_.nodes[step.node].name), what));
  }

  const Graph& graph_;
  const ProgramBuffers& buffers_;
  Placement placement_;
  std::vector<int> buffer_of_;  ///< by node: the buffer that holds it, or -1
  std::vector<Bytes> current_;  ///< by buffer: its offset after the moves so far
  std::size_t place_ = 0;       ///< in the program, moves included
};

/// Here a transfer is over when the next instruction runs; on a device it is not.
void expect_no_moves_in_flight(const Graph& graph, const PlacedProgram& placed) {
  for (const Move& move : placed.placement->moves) {
    for (const Flight& flight : placed.flights) {
      const bool is_over = move.time <= flight.lower || flight.upper <= move.time;
      if (flight.buffer != move.buffer || is_over) continue;
      const int node = placed.buffers.nodes[move.buffer];
      throw InputError(
          fmt::format("'{}' is moved while it is transferred", printable(graph.nodes[node].name)));
    }
  }
}

}  // namespace

PlacedProgram placed_program(const Graph& graph, std::span<const Instruction> program,
                             PagingTime paging_time) {
  PlacedProgram placed;
  std::copy_if(program.begin(), program.end(), std::back_inserter(placed.instructions),
               [](const Instruction& step) { return !is_move(step); });
  placed.buffers = program_buffers(graph, placed.instructions);
  placed.flights = program_flights(placed.instructions, placed.buffers, paging_time);
  if (std::any_of(program.begin(), program.end(), has_offset)) {
    placed.placement = OffsetReader(graph, placed.buffers).read(program);
    expect_no_moves_in_flight(graph, placed);
  }
  return placed;
}

}  // namespace poet
