#include "execute/scheduled_step.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// A placement is usually found in milliseconds. If it is not, tensors are moved.
constexpr Seconds kPlacementSeconds = 10;

Seconds elapsed(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ScheduledStep::ScheduledStep(const TrainingStep& step, const Graph& graph,
                             std::span<const Instruction> program, Bytes alignment, bool poison)
    : step_(step),
      graph_(graph),
      program_(program.begin(), program.end()),
      buffers_(program_buffers(graph, program_)) {
  place(alignment);
  arena_ = std::make_unique<GuardedBlock>(figures_.arena_bytes, poison);
}

void ScheduledStep::place(Bytes alignment) {
  const Arena arena{.capacity_bytes = peak_bytes(buffers_.buffers, alignment),
                    .alignment = alignment};
  PlacementResult found = poet::place(buffers_.buffers, arena, kPlacementSeconds);
  if (found.status != PlacementStatus::fits) {
    const Placement hint = best_greedy_placement(buffers_.buffers, alignment);
    found.placement = place_with_moves(buffers_.buffers, arena, hint);
  }
  placement_ = std::move(found.placement);
  figures_.arena_bytes = arena_bytes(buffers_.buffers, placement_, alignment);
}

void ScheduledStep::run(TrainingState& state, PageFile& pages) {
  begin_step(state);
  offset_ = placement_.offsets;
  buffer_of_.assign(step_.nodes.size(), -1);
  for (auto& [node, slot] : slots_) slot.is_written = false;
  next_move_ = 0;
  in_use_ = 0;
  for (std::size_t at = 0; at < program_.size(); ++at) {
    run_moves(at);
    const Instruction& instruction = program_[at];
    switch (instruction.op) {
      case Instruction::Op::compute:
        run_compute(at, instruction, state);
        break;
      case Instruction::Op::free:
        close(at, instruction.node);
        break;
      case Instruction::Op::page_out:
        page_out(at, instruction.node, pages);
        break;
      case Instruction::Op::page_in:
        page_in(at, instruction.node, pages);
        break;
    }
  }
  for (int node = 0; node < graph_.size(); ++node) {
    if (buffer_of_[static_cast<std::size_t>(node)] >= 0) close(program_.size(), node);
  }
  if (!arena_->intact()) throw InternalError("a kernel wrote in front of the arena");
}

void ScheduledStep::run_moves(std::size_t at) {
  for (; next_move_ < placement_.moves.size(); ++next_move_) {
    const Move& move = placement_.moves[next_move_];
    if (move.time != static_cast<std::int64_t>(at)) return;
    const auto buffer = static_cast<std::size_t>(move.buffer);
    const Bytes bytes = buffers_.buffers[buffer].bytes;
    arena_->move(offset_[buffer], move.offset, bytes);
    offset_[buffer] = move.offset;
    figures_.moved_bytes += bytes;
  }
}

// The input that an output takes over is read until the output is complete.
void ScheduledStep::run_compute(std::size_t at, const Instruction& instruction,
                                TrainingState& state) {
  const int node = instruction.node;
  const int buffer = buffers_.of_instruction[at];
  const int workspace = buffers_.workspace[at];
  if (!instruction.over) open(node, buffer);
  if (workspace >= 0) open(-1, workspace);
  buffer_of_[static_cast<std::size_t>(node)] = buffer;
  const auto start = std::chrono::steady_clock::now();
  compute(
      step_, node, [&](int each) { return tensor_at(at, each); }, state);
  figures_.op_seconds[step_.nodes[static_cast<std::size_t>(node)].op] += elapsed(start);
  if (instruction.over) buffer_of_[static_cast<std::size_t>(*instruction.over)] = -1;
  if (workspace < 0) return;
  const Bytes bytes = buffers_.buffers[static_cast<std::size_t>(workspace)].bytes;
  arena_->close(offset_[static_cast<std::size_t>(workspace)], bytes);
  in_use_ -= bytes;
}

void ScheduledStep::page_out(std::size_t at, int node, PageFile& pages) {
  const Bytes bytes = graph_.nodes[static_cast<std::size_t>(node)].bytes;
  Bytes end = 0;
  for (const auto& [other, slot] : slots_) {
    end = std::max(end, slot.offset + graph_.nodes[static_cast<std::size_t>(other)].bytes);
  }
  Slot& slot = slots_.emplace(node, Slot{.offset = end}).first->second;
  pages.write(slot.offset, tensor_at(at, node), bytes);
  slot.is_written = true;
  figures_.page_out_bytes += bytes;
}

void ScheduledStep::page_in(std::size_t at, int node, PageFile& pages) {
  const auto slot = slots_.find(node);
  if (slot == slots_.end() || !slot->second.is_written)
    fail(at, node, "was not written to storage");
  open(node, buffers_.of_instruction[at]);
  const Bytes bytes = graph_.nodes[static_cast<std::size_t>(node)].bytes;
  pages.read(slot->second.offset, tensor_at(at, node), bytes);
  figures_.page_in_bytes += bytes;
}

void ScheduledStep::open(int node, int buffer) {
  const auto index = static_cast<std::size_t>(buffer);
  const Bytes bytes = buffers_.buffers[index].bytes;
  arena_->open(offset_[index], bytes);
  in_use_ += bytes;
  figures_.peak_touched_bytes = std::max(figures_.peak_touched_bytes, in_use_);
  if (node >= 0) buffer_of_[static_cast<std::size_t>(node)] = buffer;
}

void ScheduledStep::close(std::size_t at, int node) {
  const int buffer = buffer_of_[static_cast<std::size_t>(node)];
  if (buffer < 0) fail(at, node, "is not in RAM");
  const auto index = static_cast<std::size_t>(buffer);
  arena_->close(offset_[index], buffers_.buffers[index].bytes);
  in_use_ -= buffers_.buffers[index].bytes;
  buffer_of_[static_cast<std::size_t>(node)] = -1;
}

std::byte* ScheduledStep::tensor_at(std::size_t at, int node) {
  const int buffer = buffer_of_[static_cast<std::size_t>(node)];
  if (buffer < 0) fail(at, node, "is not in RAM");
  return arena_->at(offset_[static_cast<std::size_t>(buffer)]);
}

void ScheduledStep::fail(std::size_t at, int node, const char* what) const {
  throw InputError(fmt::format("instruction {}: '{}' {}", at,
                               printable(step_.nodes[static_cast<std::size_t>(node)].name), what));
}

}  // namespace poet
