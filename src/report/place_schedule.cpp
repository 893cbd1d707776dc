// From lifetimes to a file with offsets. The search is asked for the peak first and for the whole
// capacity only if that fails, since a smaller arena is worth having and most schedules fit their
// peak. If neither is found, tensors are moved; if transfers are in the way of moves, a new file
// gets the greedy offsets, and an arena that is larger than the budget, as a schedule without
// offsets is of no use to a device. Copies in secondary storage are placed by the same search, as
// buffers that live from a page-out to the last page-in.
//
// The search counts nodes and not seconds unless a time limit is given: the same schedule then gets
// the same offsets on every machine. What was found is checked by src/schedule, which shares
// nothing with the search.

#include "report/place_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/chip_ram.hpp"
#include "poet/error.hpp"
#include "report/bank_figures.hpp"
#include "report/claim.hpp"
#include "report/fields.hpp"
#include "report/place_over_banks.hpp"
#include "report/schedule_version.hpp"

namespace poet {
namespace {

void require_valid(const ScheduleFile& file) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (findings.empty()) return;
  throw InputError(fmt::format("the schedule is not valid: {}", findings.front()));
}

/// The sizes of an exact graph are rounded already, so that its budget holds for offsets as well.
/// Other graphs promise an energy for a sum of bytes, which offsets may exceed by the rounding.
Bytes capacity_of(const PlaceOptions& options, const ScheduleFile& file, Bytes peak) {
  if (options.capacity_bytes) return *options.capacity_bytes;
  const Bytes budget = file.request.limits.ram_budget_bytes;
  const bool is_rounded = file.model.backward == name_of(Backward::exact) &&
                          file.model.alignment % kUsualAlignment == 0;
  return is_rounded ? budget : std::max(budget, peak);
}

/// Of each of two searches, if the smallest arena is tried before a larger one.
PlaceLimits limits_of_search(const PlaceOptions& options, std::size_t buffer_count,
                             bool tries_twice) {
  if (options.time_limit <= 0) return {.search_nodes = usual_search_nodes(buffer_count)};
  return {.seconds = tries_twice ? options.time_limit / 2 : options.time_limit};
}

/// Offsets without moves, if any are found: in the peak, or else within the capacity.
std::optional<Placement> find_offsets(const ProgramBuffers& lifetimes, const PlaceOptions& options,
                                      PlacedSchedule& placed) {
  const bool roomy = placed.peak_bytes < placed.capacity_bytes;
  const PlaceLimits limits = limits_of_search(options, lifetimes.buffers.size(), roomy);
  const auto search = [&](Bytes capacity) {
    return place(lifetimes.buffers, {.capacity_bytes = capacity, .alignment = options.alignment},
                 limits);
  };
  PlacementResult found = search(placed.peak_bytes);
  if (roomy && found.status != PlacementStatus::fits) found = search(placed.capacity_bytes);
  placed.search = found.status;
  if (found.status != PlacementStatus::fits) return std::nullopt;
  return std::move(found.placement);
}

/// By copy: a slot of its own for each tensor, one after another.
/// What rule 9 counts, so that there is always a layout within the budget for storage.
std::vector<Bytes> separate_slots(const ScheduleFile& file, const ProgramCopies& copies) {
  std::vector<Bytes> slots(copies.buffers.size(), 0);
  std::vector<Bytes> slot_of(file.graph.nodes.size(), -1);
  Bytes end = 0;
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    if (copies.of_instruction[at] < 0) continue;
    Bytes& slot = slot_of[file.program[at].node];
    if (slot < 0)
      slot = std::exchange(end, end + bytes_in_storage(file.graph.nodes[file.program[at].node]));
    slots[copies.of_instruction[at]] = slot;
  }
  return slots;
}

/// By copy: where it lies, in no more storage than its rule counts, which is a copy of each tensor.
/// Sizes are whole blocks, and every copy is at 0 or on top of others, so that slots are as well.
std::vector<Bytes> find_slots(const ScheduleFile& file, const ProgramCopies& copies) {
  PlacementResult found = place(copies.buffers, {.capacity_bytes = peak_bytes(copies.buffers)},
                                {.search_nodes = usual_search_nodes(copies.buffers.size())});
  if (found.status == PlacementStatus::fits) return std::move(found.placement.offsets);
  Placement greedy = best_greedy_placement(copies.buffers, 1);
  Placement separate{.offsets = separate_slots(file, copies), .moves = {}};
  const bool is_better =
      arena_bytes(copies.buffers, greedy) < arena_bytes(copies.buffers, separate);
  return std::move(is_better ? greedy.offsets : separate.offsets);
}

void add_slots(ScheduleFile& file) {
  const ProgramCopies copies = program_copies(file.graph, file.program);
  if (copies.buffers.empty()) return;
  const std::vector<Bytes> slots = find_slots(file, copies);
  file.arena.storage_bytes = arena_bytes(copies.buffers, {.offsets = slots, .moves = {}});
  write_slots(file.program, copies, slots);
}

/// The bytes of a copy of each tensor that is written out.
Bytes bytes_of_copies(const ScheduleFile& file) {
  std::vector<int> written;
  for (const Instruction& step : file.program) {
    if (step.op == Instruction::Op::page_out) written.push_back(step.node);
  }
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  return std::accumulate(written.begin(), written.end(), Bytes{0}, [&](Bytes sum, int node) {
    return sum + bytes_in_storage(file.graph.nodes[node]);
  });
}

/// Writes a placement into a file, with slots, and holds it against the judge.
void take_placement(PlacedSchedule& placed, const ProgramBuffers& lifetimes,
                    const Placement& placement, const PlaceOptions& options) {
  ScheduleFile& file = placed.file;
  placed.fits = true;
  file.arena.arena_bytes = arena_bytes(lifetimes.buffers, placement, options.alignment);
  add_arena(file.summary.memory, file.arena.arena_bytes);
  for (const Move& move : placement.moves) {
    file.arena.moved_bytes =
        file.arena.moved_bytes.value_or(0) + lifetimes.buffers[move.buffer].bytes;
  }
  if (!file.summary.peak_storage_bytes) file.summary.peak_storage_bytes = bytes_of_copies(file);
  add_slots(file);
  file.program = with_offsets(file.program, lifetimes, placement);
  // The rest of the file does not depend on offsets, and comes from a replay or has stood one.
  std::vector<std::string> findings;
  if (!file.banked.banks.empty()) file.banked = measured_banks(file, findings);
  check_program(findings, file, nullptr, nullptr);
  if (!findings.empty()) throw InternalError("the offsets are wrong: " + findings.front());
}

/// Places the program of a valid file without offsets. One that needs offsets gets them even beyond
/// the capacity, if transfers are in the way of moves.
void place_program(PlacedSchedule& placed, const ProgramBuffers& lifetimes,
                   const PlaceOptions& options, bool needs_offsets) {
  ScheduleFile& file = placed.file;
  if (placed.peak_bytes > placed.capacity_bytes) {
    placed.search = PlacementStatus::impossible;
    placed.unmoved_bytes = placed.peak_bytes;
    return;
  }
  std::optional<Placement> placement = find_offsets(lifetimes, options, placed);
  if (!placement) {
    const Placement greedy = best_greedy_placement(lifetimes.buffers, options.alignment);
    placed.unmoved_bytes = arena_bytes(lifetimes.buffers, greedy, options.alignment);
    if (!options.moves) return;
    const Arena arena{.capacity_bytes = placed.capacity_bytes, .alignment = options.alignment};
    placement =
        place_with_moves(lifetimes.buffers, arena, greedy,
                         program_flights(file.program, lifetimes, file.request.limits.paging_time));
    placed.in_the_way = !placement;
    if (placed.in_the_way && !needs_offsets) return;
    if (placed.in_the_way) placement = greedy;
  }
  take_placement(placed, lifetimes, *placement, options);
}

/// States what training keeps in RAM on a platform, which may be another one than the platform of
/// the solve.
void take_memory_of(ScheduleFile& file, const Platform& platform, const Model* model) {
  DeviceMemory memory = file.summary.memory.value_or(DeviceMemory());
  memory.reserve_bytes = platform.reserve_bytes;
  if (model != nullptr) memory = device_memory(*model, &platform);
  file.summary.memory.reset();
  if (memory != DeviceMemory()) file.summary.memory = memory;
}

/// Likewise in the banks of a platform, without moves.
void place_program_over_banks(PlacedSchedule& placed, const ProgramBuffers& lifetimes,
                              const PlaceOptions& options) {
  take_memory_of(placed.file, *options.platform, options.model);
  ProgramInBanks found = place_over_banks(placed.file, lifetimes, *options.platform,
                                          {.model = options.model,
                                           .cost = options.bank_cost,
                                           .alignment = options.alignment,
                                           .time_limit = options.time_limit});
  placed.search = found.status;
  placed.capacity_bytes = found.room_bytes;
  if (found.status != PlacementStatus::fits) {
    placed.unmoved_bytes = found.room_bytes + found.missing_bytes;
    if (placed.peak_bytes > found.room_bytes) return;
    placed.left_over = std::move(found.left_over);
    placed.left_arrays = std::move(found.left_arrays);
    placed.is_above_banks = found.is_above_banks;
    return;
  }
  placed.file.banked = std::move(found.figures);
  take_placement(placed, lifetimes, found.placement, options);
}

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

Bytes offset_alignment(const ScheduleFile& file) {
  return std::max(kUsualAlignment, file.model.alignment);
}

PlacedSchedule place_schedule(const ScheduleFile& schedule, const PlaceOptions& options) {
  PlacedSchedule placed{.file = schedule};
  ScheduleFile& file = placed.file;
  // Its offsets may be wrong, as it gets others: older files move what is transferred.
  file.program = without_offsets(file.program);
  file.arena = {};
  add_arena(file.summary.memory, {});
  file.banked = {};
  require_valid(file);
  // As to_program writes it, so that a placed schedule can be placed again.
  file.program = to_program(file.graph, file.schedule, file.request.limits.paging_time);
  const ProgramBuffers lifetimes = program_buffers(file.graph, file.program);
  placed.peak_bytes = peak_bytes(lifetimes.buffers, options.alignment);
  if (options.platform != nullptr && !options.platform->banks.empty()) {
    place_program_over_banks(placed, lifetimes, options);
    return placed;
  }
  placed.capacity_bytes = capacity_of(options, file, placed.peak_bytes);
  place_program(placed, lifetimes, options, false);
  return placed;
}

// Without a verification first, unlike place_schedule(): the file was made by a replay just now.
void add_offsets(ScheduleFile& file) {
  const ProgramBuffers lifetimes = program_buffers(file.graph, file.program);
  const PlaceOptions options{.capacity_bytes = std::nullopt, .alignment = offset_alignment(file)};
  PlacedSchedule placed{.file = std::move(file)};
  placed.peak_bytes = peak_bytes(lifetimes.buffers, options.alignment);
  placed.capacity_bytes = std::max(placed.file.request.limits.ram_budget_bytes, placed.peak_bytes);
  place_program(placed, lifetimes, options, true);
  file = std::move(placed.file);
}

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
