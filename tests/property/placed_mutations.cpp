// Mistakes in the offsets, moves and slots of schedule files, and the files that they are made in.
#include <map>

#include "mutations.hpp"
#include "poet/arena.hpp"
#include "report/place_schedule.hpp"
#include "report/schedule_draft.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

using Op = Instruction::Op;

/// Puts every tensor as low as it goes when it appears, so that others have to be moved for it.
void place_with_many_moves(ScheduleFile& file) {
  std::vector<Instruction> program = file.program;
  std::erase_if(program, [](const Instruction& step) { return step.op == Op::move; });
  const ProgramBuffers lifetimes = program_buffers(file.graph, program);
  const Arena arena{.capacity_bytes = peak_bytes(lifetimes.buffers, 4), .alignment = 4};
  const Placement lowest{.offsets = std::vector<Bytes>(lifetimes.buffers.size(), 0), .moves = {}};
  const std::optional<Placement> moved =
      place_with_moves(lifetimes.buffers, arena, lowest,
                       program_flights(program, lifetimes, file.request.limits.paging_time));
  if (!moved) return;
  file.program = with_offsets(program, lifetimes, *moved);
  file.arena.arena_bytes = arena_bytes(lifetimes.buffers, *moved, 4);
  for (const Move& move : moved->moves) {
    file.arena.moved_bytes =
        file.arena.moved_bytes.value_or(0) + lifetimes.buffers[move.buffer].bytes;
  }
}

const Occasion has_bytes = [](const Spot& spot) { return spot.computed().bytes > 0; };

/// A tensor with bytes that is in RAM before the instruction: where it is.
std::optional<Bytes> lies_in_ram(const Spot& spot) {
  std::map<int, Bytes> now;
  for (std::size_t at = 0; at < spot.at; ++at) {
    const Instruction& step = spot.program()[at];
    if (step.op == Op::free) now.erase(step.node);
    if (step.over) now.erase(*step.over);
    if (step.offset && spot.graph().nodes[step.node].bytes > 0) now[step.node] = *step.offset;
  }
  if (now.empty()) return {};
  return now.begin()->second;
}

/// Adds a move of a tensor to where it is already, if that is anywhere, before an instruction.
void insert_move(const Spot& spot, std::size_t before, int node) {
  Bytes offset = 0;
  for (std::size_t at = 0; at < before; ++at) {
    const Instruction& earlier = spot.program()[at];
    if (earlier.node == node && earlier.offset) offset = *earlier.offset;
  }
  spot.program().insert(iterator_at(spot, before),
                        {.op = Op::move, .node = node, .offset = offset});
  spot.arena().moved_bytes = spot.arena().moved_bytes.value_or(0) + spot.graph().nodes[node].bytes;
}

const Occasion beside_computations = [](const Spot& spot) {
  return spot.limits().paging_time == PagingTime::overlapped;
};

/// The instruction is one of the frees at the end of a stage that pages its tensor out beside
/// computations: between its last computation and these, a stage is not over.
const Occasion waits_for_a_page_out = beside_computations && [](const Spot& spot) {
  // How many stages have computed their own node before each instruction.
  std::vector<int> stages{0};
  for (const Instruction& step : spot.program()) {
    const bool is_own = step.op == Op::compute && step.node == stages.back();
    stages.push_back(stages.back() + (is_own ? 1 : 0));
  }
  std::size_t own = spot.at;
  while (own > 0 && spot.program()[own].op == Op::free) --own;
  if (own == spot.at || stages[spot.at] != stages[own] + 1) return false;
  for (std::size_t at = spot.at; at-- > 0;) {
    const Instruction& earlier = spot.program()[at];
    if (earlier.node != spot.step().node) continue;
    return earlier.op == Op::page_out && stages[at] == stages[own];
  }
  return false;
};

/// Copies that are read after the one that the instruction writes: by their first instructions.
std::vector<std::size_t> copies_read_later(const Spot& spot) {
  std::vector<std::size_t> later;
  const ProgramCopies copies = program_copies(spot.graph(), spot.program());
  const auto& of_instruction = copies.of_instruction;
  const int over = of_instruction[spot.at];
  for (int under = 0; under < over; ++under) {
    const bool is_read_later = copies.buffers[under].upper > copies.buffers[over].lower + 1;
    if (!is_read_later || copies.buffers[under].bytes == 0 || copies.buffers[over].bytes == 0)
      continue;
    const auto first = std::find(of_instruction.begin(), of_instruction.end(), under);
    later.push_back(static_cast<std::size_t>(first - of_instruction.begin()));
  }
  return later;
}

/// A copy that is written before another one has been read for the last time goes on top of it.
void write_a_copy_over_another(Spot& spot, Twister& random) {
  const std::optional<Bytes> slot = spot.program()[pick(random, copies_read_later(spot))].slot;
  const ProgramCopies copies = program_copies(spot.graph(), spot.program());
  for (std::size_t at = 0; at < spot.program().size(); ++at) {
    if (copies.of_instruction[at] == copies.of_instruction[spot.at]) spot.program()[at].slot = slot;
  }
}

}  // namespace

ScheduleFile draft_of(const Case& made) {
  return make_draft(made.graph, made.schedule, {.name = "random", .backward = "explicit"},
                    made.limits.paging_time);
}

ScheduleFile random_placed_file(Twister& random) {
  ScheduleFile file = complete_draft(draft_of(random_exact_case(random)));
  if (chance(random, 50)) place_with_many_moves(file);
  return file;
}

std::vector<Mutation> placed_mutations() {
  const Occasion placed = states(&Instruction::offset);
  std::vector<Mutation> all{
      {"put_a_tensor_on_another",
       placed && !is(Op::move) && !states(&Instruction::over) && has_bytes &&
           [](const Spot& spot) { return lies_in_ram(spot).has_value(); },
       [](Spot& spot, Twister&) { spot.step().offset = lies_in_ram(spot); }, "which overlaps with"},
      {"put_a_workspace_on_the_output", states(&Instruction::workspace_offset) && has_bytes,
       [](Spot& spot, Twister&) { spot.step().workspace_offset = spot.step().offset; },
       "has the workspace at"},
      {"put_a_tensor_at_half_a_float", placed,
       [](Spot& spot, Twister& random) { *spot.step().offset += draw(random, 1, 3); },
       "expected a multiple of 4"},
      {"put_a_tensor_beyond_the_arena", placed,
       [](Spot& spot, Twister& random) {
         spot.step().offset = *spot.arena().arena_bytes + 4 * draw(random, 1, 100);
       },
       "the arena has"},
      {"put_an_output_beside_what_it_takes_over", states(&Instruction::over),
       [](Spot& spot, Twister&) { *spot.step().offset += 4; }, "which it takes over"},
      {"leave_out_an_offset", placed && !is(Op::move), leave_out(&Instruction::offset),
       "has no offset for the output"},
      {"leave_out_a_workspace_offset", states(&Instruction::workspace_offset),
       leave_out(&Instruction::workspace_offset), "has no offset for the workspace"},
      {"leave_out_a_move", is(Op::move) && has_bytes, drop_step, "summary.moved_bytes is"},
      {"move_what_is_not_in_ram", anywhere,
       [](Spot& spot, Twister& random) {
         insert_move(spot, 0, draw(random, 0, spot.graph().size() - 1));
       },
       "is moved, but is not in RAM"},
      // Nothing else is wrong about these two: the tensor stays where it is.
      {"move_what_is_transferred", beside_computations && (is(Op::page_in) || is(Op::page_out)),
       [](Spot& spot, Twister&) { insert_move(spot, spot.at + 1, spot.step().node); },
       "is moved while it is transferred"},
      {"move_before_the_last_free", waits_for_a_page_out,
       [](Spot& spot, Twister&) { insert_move(spot, spot.at, spot.step().node); },
       "is moved while it is transferred"},
      {"price_what_is_not_moved", [](const Spot& spot) { return !spot.arena().moved_bytes; },
       [](Spot& spot, Twister&) { spot.arena().moved_seconds = 1; }, "summary.moved_seconds is 1"},
      {"free_a_tensor_early",
       is(Op::free) &&
           [](const Spot& spot) {
             return is(Op::compute)({spot.file, 0, 0, spot.at - 1});
           },
       swap_with_the_step_before, "the stages say compute"},
      {"shrink_the_arena", [](const Spot& spot) { return *spot.arena().arena_bytes > 0; },
       [](Spot& spot, Twister&) { *spot.arena().arena_bytes -= 4; }, "the arena has"},
      {"leave_out_the_arena", anywhere,
       [](Spot& spot, Twister&) { spot.arena().arena_bytes.reset(); },
       "summary.arena_bytes is missing"},
      {"state_another_sum_of_moves", anywhere,
       [](Spot& spot, Twister&) {
         spot.arena().moved_bytes = spot.arena().moved_bytes.value_or(0) + 1;
       },
       "summary.moved_bytes is"},
      {"read_from_another_slot", is(Op::page_in),
       [](Spot& spot, Twister& random) { *spot.step().slot += draw(random, 1, 1000); },
       "where there is no copy of it"},
      {"write_a_copy_over_another",
       is(Op::page_out) && [](const Spot& spot) { return !copies_read_later(spot).empty(); },
       write_a_copy_over_another, "where there is no copy of it"},
      {"leave_out_a_slot", states(&Instruction::slot), leave_out(&Instruction::slot),
       "has no slot"},
      {"give_a_slot_to_a_computation", is(Op::compute),
       [](Spot& spot, Twister&) { spot.step().slot = 0; }, "has a slot, but is not transferred"},
      {"shrink_the_storage",
       [](const Spot& spot) { return spot.arena().storage_bytes.value_or(0) > 0; },
       [](Spot& spot, Twister&) { *spot.arena().storage_bytes -= 1; }, "summary.storage_bytes is"}};
  for (Mutation& each : all) each.draw_file = random_placed_file;
  return all;
}

}  // namespace poet::test
