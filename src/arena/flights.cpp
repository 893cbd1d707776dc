// Which buffers are in flight, and when. A program of instructions runs in order, but a transfer
// that overlaps with computations only starts with its instruction: a DMA controller reads or
// writes the tensor until the stage is over. A stage's transfers come first in it, so that its
// first instruction is the last moment at which what it transfers may be moved.

#include <cstdint>
#include <vector>

#include "poet/arena.hpp"

namespace poet {
namespace {

class FlightReader {
 public:
  FlightReader(std::span<const Instruction> program, const ProgramBuffers& lifetimes)
      : program_(program), lifetimes_(lifetimes) {}

  std::vector<Flight> read() {
    for (std::size_t at = 0; at < program_.size(); ++at) read_step(at, program_[at]);
    end_stage(program_.size());
    return std::move(flights_);
  }

 private:
  void read_step(std::size_t at, const Instruction& step) {
    // A stage ends with its own node, which is new then, and the frees that follow.
    if (stage_is_done_ && step.op != Instruction::Op::free) end_stage(at);
    const std::size_t node = static_cast<std::size_t>(step.node);
    if (buffer_of_.size() <= node) buffer_of_.resize(node + 1, -1);
    if (lifetimes_.of_instruction[at] >= 0) buffer_of_[node] = lifetimes_.of_instruction[at];
    const bool writes = step.op == Instruction::Op::page_out;
    if (writes || step.op == Instruction::Op::page_in) {
      flights_.push_back(
          {.lower = static_cast<std::int64_t>(stage_start_), .buffer = buffer_of_[node]});
    }
    stage_is_done_ |= step.op == Instruction::Op::compute && step.node == stage_;
  }

  void end_stage(std::size_t at) {
    for (; ended_ < flights_.size(); ++ended_) {
      flights_[ended_].upper = static_cast<std::int64_t>(at);
    }
    stage_start_ = at;
    stage_is_done_ = false;
    ++stage_;
  }

  std::span<const Instruction> program_;
  const ProgramBuffers& lifetimes_;
  std::vector<int> buffer_of_;  ///< by node: the last buffer that it was in
  int stage_ = 0;
  std::size_t stage_start_ = 0;
  bool stage_is_done_ = false;
  std::size_t ended_ = 0;  ///< so many flights are over
  std::vector<Flight> flights_;
};

}  // namespace

std::vector<Flight> program_flights(std::span<const Instruction> program,
                                    const ProgramBuffers& lifetimes, PagingTime paging_time) {
  if (paging_time != PagingTime::overlapped) return {};
  return FlightReader(program, lifetimes).read();
}

}  // namespace poet
