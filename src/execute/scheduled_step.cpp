// A device on this machine: it does what each instruction says and believes none of it. An
// instruction that reads what is not there, or writes over what is, ends the run with its number,
// even if no result would have changed. The ranges in use are a map by offset, so each check takes
// logarithmic time and the kernels dominate. Transfers are over when the next instruction runs,
// also where a device would overlap them with computations: what must not happen meanwhile, a move
// of what is transferred, is refused when the program is read.

#include "execute/scheduled_step.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// A placement is usually found in milliseconds. If it is not, tensors are moved; and if transfers
/// are in the way of that, the arena is larger.
Placement offsets_in_peak(std::span<const Buffer> buffers, std::span<const Flight> flights,
                          Bytes alignment) {
  const Arena arena{.capacity_bytes = peak_bytes(buffers, alignment), .alignment = alignment};
  PlacementResult found =
      place(buffers, arena, {.search_nodes = usual_search_nodes(buffers.size())});
  if (found.status == PlacementStatus::fits) return std::move(found.placement);
  Placement greedy = best_greedy_placement(buffers, alignment);
  std::optional<Placement> moving = place_with_moves(buffers, arena, greedy, flights);
  return moving ? std::move(*moving) : std::move(greedy);
}

}  // namespace

ScheduledStep::ScheduledStep(const TrainingStep& step, const Graph& graph,
                             std::span<const Instruction> program, Bytes alignment, bool poison,
                             PagingTime paging_time, std::span<const BankRange> banks)
    : step_(step), graph_(graph), program_(placed_program(graph, program, paging_time)) {
  place(alignment);
  const BankRange whole{.from = 0, .to = figures_.arena_bytes};
  arena_ = std::make_unique<GuardedArena>(banks.empty() ? std::span(&whole, 1) : banks, poison);
  figures_.arena_bytes = arena_->bytes();
}

void ScheduledStep::place(Bytes alignment) {
  const std::vector<Buffer>& buffers = program_.buffers.buffers;
  placement_ = program_.placement ? *program_.placement
                                  : offsets_in_peak(buffers, program_.flights, alignment);
  figures_.arena_bytes = arena_bytes(buffers, placement_, alignment);
  for (const Bytes offset : placement_.offsets) {
    if (offset % kFloatBytes == 0) continue;
    throw InputError(
        fmt::format("found tensors rounded to multiples of {} bytes; expected {}, so "
                    "that floats are where kernels can read them",
                    alignment, kFloatBytes));
  }
}

void ScheduledStep::run(TrainingState& state, PageFile& pages) {
  begin_step(state);
  offset_ = placement_.offsets;
  buffer_of_.assign(step_.nodes.size(), -1);
  copies_.clear();
  instruction_seconds_.clear();
  next_move_ = 0;
  used_.clear();
  in_use_ = 0;
  for (std::size_t at = 0; at < program_.instructions.size(); ++at) {
    run_moves(at);
    const Instruction& instruction = program_.instructions[at];
    const Stopwatch watch;
    switch (instruction.op) {
      case Instruction::Op::compute:
        run_compute(at, instruction, state);
        break;
      case Instruction::Op::free:
        close(at, instruction.node);
        break;
      case Instruction::Op::page_out:
        page_out(at, instruction, pages);
        break;
      case Instruction::Op::page_in:
        page_in(at, instruction, pages);
        break;
      case Instruction::Op::move:
        break;  // placed_program() has put these into the placement
    }
    instruction_seconds_.push_back(watch.elapsed());
  }
  for (int node = 0; node < graph_.size(); ++node) {
    if (buffer_of_[node] >= 0) close(program_.instructions.size(), node);
  }
  if (!arena_->intact()) throw InternalError("a kernel wrote in front of the arena");
}

// The old range is given up before the new one is claimed: a tensor may move by less than its size.
void ScheduledStep::run_moves(std::size_t at) {
  for (; next_move_ < placement_.moves.size(); ++next_move_) {
    const Move& move = placement_.moves[next_move_];
    if (move.time != static_cast<std::int64_t>(at)) return;
    const auto buffer = static_cast<std::size_t>(move.buffer);
    const Bytes bytes = program_.buffers.buffers[buffer].bytes;
    if (bytes > 0) used_.erase(offset_[buffer]);
    const Bytes from = std::exchange(offset_[buffer], move.offset);
    claim(at, program_.buffers.nodes[buffer], move.buffer);
    arena_->move(from, move.offset, bytes);
    figures_.moved_bytes += bytes;
  }
}

// The input that an output takes over is read until the output is complete.
void ScheduledStep::run_compute(std::size_t at, const Instruction& instruction,
                                TrainingState& state) {
  const int node = instruction.node;
  const int buffer = program_.buffers.of_instruction[at];
  const int workspace = program_.buffers.workspace[at];
  if (!instruction.over) open(at, node, buffer);
  if (workspace >= 0) open(at, node, workspace);
  buffer_of_[node] = buffer;
  const Stopwatch watch;
  compute(
      step_, node, [&](int each) { return tensor_at(at, each); },
      workspace >= 0 ? arena_->at(offset_[workspace]) : nullptr, state);
  figures_.op_seconds[step_.nodes[node].op] += watch.elapsed();
  if (instruction.over) buffer_of_[*instruction.over] = -1;
  if (workspace >= 0) release(workspace);
}

void ScheduledStep::page_out(std::size_t at, const Instruction& instruction, PageFile& pages) {
  const int node = instruction.node;
  const Bytes bytes = graph_.nodes[node].bytes;
  const std::byte* const tensor = tensor_at(at, node);
  pages.write(copies_.write(node, instruction.slot, bytes), tensor, bytes);
  figures_.page_out_bytes += bytes;
}

void ScheduledStep::page_in(std::size_t at, const Instruction& instruction, PageFile& pages) {
  const int node = instruction.node;
  const std::optional<Bytes> slot = copies_.find(node, instruction.slot);
  if (!slot) fail(at, node, "has no whole copy in storage");
  const int buffer = program_.buffers.of_instruction[at];
  open(at, node, buffer);
  buffer_of_[node] = buffer;
  const Bytes bytes = graph_.nodes[node].bytes;
  pages.read(*slot, tensor_at(at, node), bytes);
  figures_.page_in_bytes += bytes;
}

void ScheduledStep::open(std::size_t at, int node, int buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  const Bytes bytes = program_.buffers.buffers[index].bytes;
  claim(at, node, buffer);
  arena_->open(offset_[index], bytes);
  in_use_ += bytes;
  figures_.peak_touched_bytes = std::max(figures_.peak_touched_bytes, in_use_);
}

// Without this a tensor over another one would show only if its bits differ and somebody reads
// them.
void ScheduledStep::claim(std::size_t at, int node, int buffer) {
  const Bytes start = offset_[buffer];
  const Bytes end = start + program_.buffers.buffers[buffer].bytes;
  if (start == end) return;
  if (!arena_->holds(start, end - start)) fail(at, node, "is where no single bank holds it");
  const auto above = used_.lower_bound(start);
  const bool is_below = above == used_.end() || above->first >= end;
  const bool is_above = above == used_.begin() || std::prev(above)->second <= start;
  if (!is_below || !is_above) fail(at, node, "is put over what is in RAM");
  used_.emplace(start, end);
}

void ScheduledStep::release(int buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  const Bytes bytes = program_.buffers.buffers[index].bytes;
  if (bytes > 0) used_.erase(offset_[index]);
  arena_->close(offset_[index], bytes);
  in_use_ -= bytes;
}

void ScheduledStep::close(std::size_t at, int node) {
  const int buffer = buffer_of_[node];
  if (buffer < 0) fail(at, node, "is not in RAM");
  release(buffer);
  buffer_of_[node] = -1;
}

std::byte* ScheduledStep::tensor_at(std::size_t at, int node) {
  const int buffer = buffer_of_[node];
  if (buffer < 0) fail(at, node, "is not in RAM");
  return arena_->at(offset_[buffer]);
}

void ScheduledStep::fail(std::size_t at, int node, const char* what) const {
  throw InputError(
      fmt::format("instruction {}: '{}' {}", at, printable(step_.nodes[node].name), what));
}

}  // namespace poet
