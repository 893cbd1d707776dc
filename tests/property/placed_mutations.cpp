// Mistakes in the offsets, moves and slots of schedule files, and the files that they are made in.
#include "mutations.hpp"

#include <map>
#include <utility>

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

template <auto member>
bool states(const Spot& spot) {
  return (spot.step().*member).has_value();
}

template <auto member>
void leave_out(Spot& spot, Twister&) {
  (spot.step().*member).reset();
}

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

bool is_in_flight(const Spot& spot) {
  return spot.limits().paging_time == PagingTime::overlapped &&
         (is<Op::page_in>(spot) || is<Op::page_out>(spot));
}

/// Whether the instruction is one of the frees at the end of a stage that pages its tensor out
/// beside computations: between its last computation and these, a stage is not over.
bool waits_for_a_page_out(const Spot& spot) {
  if (spot.limits().paging_time != PagingTime::overlapped) return false;
  // How many stages have computed their own node before each instruction.
  std::vector<int> computed{0};
  for (const Instruction& step : spot.program()) {
    const bool is_own = step.op == Op::compute && step.node == computed.back();
    computed.push_back(computed.back() + (is_own ? 1 : 0));
  }
  std::size_t own = spot.at;
  while (own > 0 && spot.program()[own].op == Op::free) --own;
  if (own == spot.at || computed[spot.at] != computed[own] + 1) return false;
  for (std::size_t at = spot.at; at-- > 0;) {
    const Instruction& earlier = spot.program()[at];
    if (earlier.node != spot.step().node) continue;
    return earlier.op == Op::page_out && computed[at] == computed[own];
  }
  return false;
}

/// Copies that are read after the one that the instruction writes: by their first instructions.
std::vector<std::size_t> copies_read_later(const Spot& spot) {
  std::vector<std::size_t> later;
  if (!is<Op::page_out>(spot)) return later;
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

ScheduleFile random_placed_file(Twister& random) {
  const Case made = random_exact_case(random);
  ScheduleFile file = complete_draft(make_draft(made.graph, made.schedule,
                                                {.name = "random", .backward = "explicit"},
                                                made.limits.paging_time));
  if (chance(random, 50)) place_with_many_moves(file);
  return file;
}

std::vector<Mutation> placed_mutations() {
  std::vector<Mutation> all{
      {"put_a_tensor_on_another", "which overlaps with",
       [](const Spot& spot) {
         const Instruction& step = spot.step();
         return step.offset && step.op != Op::move && !step.over && spot.computed().bytes > 0 &&
                lies_in_ram(spot).has_value();
       },
       [](Spot& spot, Twister&) { spot.step().offset = lies_in_ram(spot); }},
      {"put_a_workspace_on_the_output", "has the workspace at",
       [](const Spot& spot) {
         return states<&Instruction::workspace_offset>(spot) && spot.computed().bytes > 0;
       },
       [](Spot& spot, Twister&) { spot.step().workspace_offset = spot.step().offset; }},
      {"put_a_tensor_at_half_a_float", "expected a multiple of 4", states<&Instruction::offset>,
       [](Spot& spot, Twister& random) { *spot.step().offset += draw(random, 1, 3); }},
      {"put_a_tensor_beyond_the_arena", "the arena has", states<&Instruction::offset>,
       [](Spot& spot, Twister& random) {
         spot.step().offset = *spot.arena().arena_bytes + 4 * draw(random, 1, 100);
       }},
      {"put_an_output_beside_what_it_takes_over", "which it takes over", states<&Instruction::over>,
       [](Spot& spot, Twister&) { *spot.step().offset += 4; }},
      {"leave_out_an_offset", "has no offset for the output",
       [](const Spot& spot) { return states<&Instruction::offset>(spot) && !is<Op::move>(spot); },
       leave_out<&Instruction::offset>},
      {"leave_out_a_workspace_offset", "has no offset for the workspace",
       states<&Instruction::workspace_offset>, leave_out<&Instruction::workspace_offset>},
      {"leave_out_a_move", "summary.moved_bytes is",
       [](const Spot& spot) { return is<Op::move>(spot) && spot.computed().bytes > 0; }, drop_step},
      {"move_what_is_not_in_ram", "is moved, but is not in RAM", anywhere,
       [](Spot& spot, Twister& random) {
         insert_move(spot, 0, draw(random, 0, spot.graph().size() - 1));
       }},
      // Nothing else is wrong about these two: the tensor stays where it is.
      {"move_what_is_transferred", "is moved while it is transferred", is_in_flight,
       [](Spot& spot, Twister&) { insert_move(spot, spot.at + 1, spot.step().node); }},
      {"move_before_the_last_free", "is moved while it is transferred", waits_for_a_page_out,
       [](Spot& spot, Twister&) { insert_move(spot, spot.at, spot.step().node); }},
      {"price_what_is_not_moved", "summary.moved_seconds is 1",
       [](const Spot& spot) { return !spot.arena().moved_bytes; },
       [](Spot& spot, Twister&) { spot.arena().moved_seconds = 1; }},
      {"free_a_tensor_early", "the stages say compute",
       [](const Spot& spot) {
         return is<Op::free>(spot) && spot.at > 0 && spot.program()[spot.at - 1].op == Op::compute;
       },
       [](Spot& spot, Twister&) { std::swap(spot.program()[spot.at - 1], spot.step()); }},
      {"shrink_the_arena", "the arena has",
       [](const Spot& spot) { return *spot.arena().arena_bytes > 0; },
       [](Spot& spot, Twister&) { *spot.arena().arena_bytes -= 4; }},
      {"leave_out_the_arena", "summary.arena_bytes is missing", anywhere,
       [](Spot& spot, Twister&) { spot.arena().arena_bytes.reset(); }},
      {"state_another_sum_of_moves", "summary.moved_bytes is", anywhere,
       [](Spot& spot, Twister&) {
         spot.arena().moved_bytes = spot.arena().moved_bytes.value_or(0) + 1;
       }},
      {"read_from_another_slot", "where there is no copy of it", is<Op::page_in>,
       [](Spot& spot, Twister& random) { *spot.step().slot += draw(random, 1, 1000); }},
      {"write_a_copy_over_another", "where there is no copy of it",
       [](const Spot& spot) { return !copies_read_later(spot).empty(); },
       write_a_copy_over_another},
      {"leave_out_a_slot", "has no slot", states<&Instruction::slot>,
       leave_out<&Instruction::slot>},
      {"give_a_slot_to_a_computation", "has a slot, but is not transferred", is<Op::compute>,
       [](Spot& spot, Twister&) { spot.step().slot = 0; }},
      {"shrink_the_storage", "summary.storage_bytes is",
       [](const Spot& spot) { return spot.arena().storage_bytes.value_or(0) > 0; },
       [](Spot& spot, Twister&) { *spot.arena().storage_bytes -= 1; }}};
  for (Mutation& each : all) each.draw_file = random_placed_file;
  return all;
}

}  // namespace poet::test
