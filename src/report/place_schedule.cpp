#include "report/place_schedule.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

/// A search that takes longer than this is given up if moves do instead.
constexpr Seconds kLongSearch = 10;

Seconds search_limit(const PlaceOptions& options) {
  if (options.time_limit > 0) return options.time_limit;
  return options.moves ? kLongSearch : 0;
}

/// The schedule as to_program writes it, so that a placed one can be placed again.
ScheduleFile without_arena(ScheduleFile file) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (!findings.empty()) {
    throw InputError(fmt::format("the schedule is not valid: {}", findings.front()));
  }
  file.program = to_program(file.graph, file.schedule, file.request.paging_time);
  file.arena = {};
  return file;
}

/// Writes a placement into a program: offsets where tensors appear, and moves between.
class ProgramWriter {
 public:
  ProgramWriter(const ProgramBuffers& lifetimes, const Placement& placement)
      : lifetimes_(lifetimes), offsets_(placement.offsets), moves_(placement.moves) {}

  std::vector<Instruction> write(const std::vector<Instruction>& program) {
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

/// Offsets without moves, if any are found: in the peak, or else within the capacity. The smallest
/// arena may take half of the time if a larger one does.
std::optional<Placement> find_offsets(const ProgramBuffers& lifetimes, const Arena& arena,
                                      Seconds time_limit, PlacedSchedule& placed) {
  const bool roomy = placed.peak_bytes < arena.capacity_bytes;
  if (roomy) {
    Arena smallest = arena;
    smallest.capacity_bytes = placed.peak_bytes;
    const Seconds limit = time_limit > 0 ? time_limit / 2 : kLongSearch;
    PlacementResult found = place(lifetimes.buffers, smallest, {.seconds = limit});
    if (found.status == PlacementStatus::fits) {
      placed.search = found.status;
      return std::move(found.placement);
    }
  }
  PlacementResult found =
      place(lifetimes.buffers, arena, {.seconds = roomy ? time_limit / 2 : time_limit});
  placed.search = found.status;
  if (found.status != PlacementStatus::fits) return std::nullopt;
  return std::move(found.placement);
}

}  // namespace

PlacedSchedule place_schedule(const ScheduleFile& schedule, const PlaceOptions& options) {
  PlacedSchedule placed{.file = without_arena(schedule)};
  ScheduleFile& file = placed.file;
  placed.capacity_bytes = options.capacity_bytes.value_or(file.request.ram_budget_bytes);
  const ProgramBuffers lifetimes = program_buffers(file.graph, file.program);
  placed.peak_bytes = peak_bytes(lifetimes.buffers, options.alignment);
  if (placed.peak_bytes > placed.capacity_bytes) {
    placed.search = PlacementStatus::impossible;
    return placed;
  }
  const Arena arena{.capacity_bytes = placed.capacity_bytes, .alignment = options.alignment};
  std::optional<Placement> placement =
      find_offsets(lifetimes, arena, search_limit(options), placed);
  if (!placement) {
    if (!options.moves) return placed;
    placement = place_with_moves(lifetimes.buffers, arena,
                                 best_greedy_placement(lifetimes.buffers, options.alignment));
  }
  placed.fits = true;
  placed.move_count = static_cast<int>(placement->moves.size());
  file.arena.arena_bytes = arena_bytes(lifetimes.buffers, *placement, options.alignment);
  if (placed.move_count > 0) {
    Bytes& moved = file.arena.moved_bytes.emplace(0);
    for (const Move& move : placement->moves) moved += lifetimes.buffers[move.buffer].bytes;
  }
  file.program = ProgramWriter(lifetimes, *placement).write(file.program);
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (!findings.empty()) throw InternalError("the offsets are wrong: " + findings.front());
  return placed;
}

}  // namespace poet
