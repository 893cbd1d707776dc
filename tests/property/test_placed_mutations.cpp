// Mistakes in the offsets, moves and slots of schedule files: verification finds every one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/arena.hpp"
#include "report/draft.hpp"
#include "report/write_offsets.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

using Op = Instruction::Op;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kPlacedCases = 200;

std::uint64_t seed_of_run() {
  const char* const text = std::getenv("POET_SEED");
  return text == nullptr ? 20220716 : std::strtoull(text, nullptr, 10);
}

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
  const Placement& placement = *moved;
  file.program = with_offsets(program, lifetimes, placement);
  file.arena.arena_bytes = arena_bytes(lifetimes.buffers, placement, 4);
  for (const Move& move : placement.moves) {
    file.arena.moved_bytes =
        file.arena.moved_bytes.value_or(0) + lifetimes.buffers[move.buffer].bytes;
  }
}

ScheduleFile random_placed_file(Random& random) {
  const Case made = random_exact_case(random);
  ScheduleDraft draft{.request = {.limits = {.paging_time = made.limits.paging_time}},
                      .graph = made.graph,
                      .schedule = made.schedule};
  ScheduleFile file =
      complete_draft(draft, replay_draft(draft), {.name = "random", .backward = "explicit"});
  if (chance(random, 50)) place_with_many_moves(file);
  return file;
}

/// A random instruction that fulfils a condition.
template <typename Condition>
Instruction* pick_step(Random& random, ScheduleFile& file, Condition&& condition) {
  std::vector<Instruction*> found;
  for (Instruction& step : file.program) {
    if (condition(step)) found.push_back(&step);
  }
  return found.empty() ? nullptr : pick(random, found);
}

Bytes bytes_of(const ScheduleFile& file, int node) {
  return file.graph.nodes[static_cast<std::size_t>(node)].bytes;
}

/// By instruction: where the tensors lie that are in RAM before it, those of no bytes apart.
std::vector<std::map<int, Bytes>> in_ram_before(const ScheduleFile& file) {
  std::vector<std::map<int, Bytes>> all;
  std::map<int, Bytes> now;
  for (const Instruction& step : file.program) {
    all.push_back(now);
    if (step.op == Op::free) now.erase(step.node);
    if (step.over) now.erase(*step.over);
    if (step.offset && bytes_of(file, step.node) > 0) now[step.node] = *step.offset;
  }
  return all;
}

bool put_a_tensor_on_another(Random& random, ScheduleFile& file) {
  const auto in_ram = in_ram_before(file);
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    const Instruction& step = file.program[at];
    const bool opens = step.offset && step.op != Op::move && !step.over;
    if (opens && bytes_of(file, step.node) > 0 && !in_ram[at].empty()) places.push_back(at);
  }
  if (places.empty()) return false;
  const std::size_t at = pick(random, places);
  file.program[at].offset = in_ram[at].begin()->second;
  return true;
}

bool put_a_workspace_on_the_output(Random& random, ScheduleFile& file) {
  Instruction* const step = pick_step(random, file, [&](const Instruction& each) {
    return each.workspace_offset && bytes_of(file, each.node) > 0;
  });
  if (step == nullptr) return false;
  step->workspace_offset = step->offset;
  return true;
}

bool put_a_tensor_at_half_a_float(Random& random, ScheduleFile& file) {
  Instruction* const step =
      pick_step(random, file, [](const Instruction& each) { return each.offset.has_value(); });
  *step->offset += draw(random, 1, 3);
  return true;
}

bool put_a_tensor_beyond_the_arena(Random& random, ScheduleFile& file) {
  Instruction* const step =
      pick_step(random, file, [](const Instruction& each) { return each.offset.has_value(); });
  step->offset = *file.arena.arena_bytes + 4 * draw(random, 1, 100);
  return true;
}

bool put_an_output_beside_what_it_takes_over(Random& random, ScheduleFile& file) {
  Instruction* const step =
      pick_step(random, file, [](const Instruction& each) { return each.over.has_value(); });
  if (step == nullptr) return false;
  *step->offset += 4;
  return true;
}

bool leave_out_an_offset(Random& random, ScheduleFile& file) {
  Instruction* const step = pick_step(
      random, file, [](const Instruction& each) { return each.offset && each.op != Op::move; });
  step->offset.reset();
  return true;
}

bool leave_out_a_workspace_offset(Random& random, ScheduleFile& file) {
  Instruction* const step = pick_step(
      random, file, [](const Instruction& each) { return each.workspace_offset.has_value(); });
  if (step == nullptr) return false;
  step->workspace_offset.reset();
  return true;
}

bool leave_out_a_move(Random& random, ScheduleFile& file) {
  const Instruction* const step = pick_step(random, file, [&](const Instruction& each) {
    return each.op == Op::move && bytes_of(file, each.node) > 0;
  });
  if (step == nullptr) return false;
  file.program.erase(file.program.begin() + (step - file.program.data()));
  return true;
}

bool move_what_is_not_in_ram(Random& random, ScheduleFile& file) {
  const int node = draw(random, 0, file.graph.size() - 1);
  file.program.insert(file.program.begin(), {.op = Op::move, .node = node, .offset = 0});
  file.arena.moved_bytes = file.arena.moved_bytes.value_or(0) + bytes_of(file, node);
  return true;
}

/// To where it is already: nothing else is wrong about it.
bool move_what_is_transferred(Random& random, ScheduleFile& file) {
  if (file.request.limits.paging_time != PagingTime::overlapped) return false;
  const Instruction* const step = pick_step(random, file, [](const Instruction& each) {
    return each.op == Op::page_in || each.op == Op::page_out;
  });
  if (step == nullptr) return false;
  const auto at = static_cast<std::size_t>(step - file.program.data());
  const int node = step->node;
  Bytes offset = step->offset.value_or(0);
  for (std::size_t before = 0; before < at && step->op == Op::page_out; ++before) {
    const Instruction& earlier = file.program[before];
    if (earlier.node == node && earlier.offset) offset = *earlier.offset;
  }
  file.program.insert(file.program.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                      {.op = Op::move, .node = node, .offset = offset});
  file.arena.moved_bytes = file.arena.moved_bytes.value_or(0) + bytes_of(file, node);
  return true;
}

/// How many stages have computed their own node before each instruction.
std::vector<int> stages_computed(const std::vector<Instruction>& program) {
  std::vector<int> counts;
  int count = 0;
  for (const Instruction& step : program) {
    counts.push_back(count);
    if (step.op == Op::compute && step.node == count) ++count;
  }
  return counts;
}

/// Between its last computation and what it frees, a stage is not over.
bool move_before_the_last_free(Random& random, ScheduleFile& file) {
  if (file.request.limits.paging_time != PagingTime::overlapped) return false;
  const std::vector<int> computed = stages_computed(file.program);
  std::vector<std::size_t> places;
  for (std::size_t at = 1; at < file.program.size(); ++at) {
    const Instruction& step = file.program[at];
    std::size_t own = at;
    while (own > 0 && file.program[own].op == Op::free) --own;
    const bool ends = own < at && computed[at] == computed[own] + 1;
    for (std::size_t before = at; ends && before-- > 0;) {
      const Instruction& earlier = file.program[before];
      if (earlier.node != step.node) continue;
      const bool same_stage = computed[before] == computed[own];
      if (earlier.op == Op::page_out && same_stage) places.push_back(at);
      break;
    }
  }
  if (places.empty()) return false;
  const std::size_t at = pick(random, places);
  const int node = file.program[at].node;
  Bytes offset = 0;
  for (std::size_t before = 0; before < at; ++before) {
    const Instruction& earlier = file.program[before];
    if (earlier.node == node && earlier.offset) offset = *earlier.offset;
  }
  file.program.insert(file.program.begin() + static_cast<std::ptrdiff_t>(at),
                      {.op = Op::move, .node = node, .offset = offset});
  file.arena.moved_bytes = file.arena.moved_bytes.value_or(0) + bytes_of(file, node);
  return true;
}

bool price_what_is_not_moved(Random&, ScheduleFile& file) {
  if (file.arena.moved_bytes) return false;
  file.arena.moved_seconds = 1;
  return true;
}

bool free_a_tensor_early(Random& random, ScheduleFile& file) {
  const Instruction* const step = pick_step(random, file, [&](const Instruction& each) {
    return each.op == Op::free && &each != file.program.data() && (&each - 1)->op == Op::compute;
  });
  if (step == nullptr) return false;
  const auto at = file.program.begin() + (step - file.program.data());
  std::iter_swap(at, at - 1);
  return true;
}

bool shrink_the_arena(Random&, ScheduleFile& file) {
  if (*file.arena.arena_bytes == 0) return false;
  *file.arena.arena_bytes -= 4;
  return true;
}

bool leave_out_the_arena(Random&, ScheduleFile& file) {
  file.arena.arena_bytes.reset();
  return true;
}

bool state_another_sum_of_moves(Random&, ScheduleFile& file) {
  file.arena.moved_bytes = file.arena.moved_bytes.value_or(0) + 1;
  return true;
}

bool read_from_another_slot(Random& random, ScheduleFile& file) {
  Instruction* const step =
      pick_step(random, file, [](const Instruction& each) { return each.op == Op::page_in; });
  if (step == nullptr) return false;
  *step->slot += draw(random, 1, 1000);
  return true;
}

/// A copy that is written before another one has been read for the last time goes on top of it.
bool write_a_copy_over_another(Random& random, ScheduleFile& file) {
  const ProgramCopies copies = program_copies(file.graph, file.program);
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < static_cast<int>(copies.buffers.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(copies.buffers.size()); ++b) {
      const Buffer& under = copies.buffers[a];
      const Buffer& over = copies.buffers[b];
      const bool is_read_later = under.upper > over.lower + 1;
      if (is_read_later && under.bytes > 0 && over.bytes > 0) pairs.emplace_back(a, b);
    }
  }
  if (pairs.empty()) return false;
  const auto [under, over] = pick(random, pairs);
  const auto has_copy = [&](std::size_t at, int copy) { return copies.of_instruction[at] == copy; };
  std::size_t first = 0;
  while (!has_copy(first, under)) ++first;
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    if (has_copy(at, over)) file.program[at].slot = file.program[first].slot;
  }
  return true;
}

bool leave_out_a_slot(Random& random, ScheduleFile& file) {
  Instruction* const step =
      pick_step(random, file, [](const Instruction& each) { return each.slot.has_value(); });
  if (step == nullptr) return false;
  step->slot.reset();
  return true;
}

bool give_a_slot_to_a_computation(Random& random, ScheduleFile& file) {
  pick_step(random, file, [](const Instruction& each) { return each.op == Op::compute; })->slot = 0;
  return true;
}

bool shrink_the_storage(Random&, ScheduleFile& file) {
  if (file.arena.storage_bytes.value_or(0) == 0) return false;
  *file.arena.storage_bytes -= 1;
  return true;
}

/// One way to corrupt a placed file so that it cannot be valid by luck, and what is said about it.
struct PlacedMutation {
  const char* name;
  bool (*apply)(Random&, ScheduleFile&);  ///< false where the file offers no occasion
  const char* finding;
};

#define POET_PLACED_MUTATION(function, finding) \
  { #function, function, finding }

constexpr PlacedMutation kPlacedMutations[] = {
    POET_PLACED_MUTATION(put_a_tensor_on_another, "which overlaps with"),
    POET_PLACED_MUTATION(put_a_workspace_on_the_output, "has the workspace at"),
    POET_PLACED_MUTATION(put_a_tensor_at_half_a_float, "expected a multiple of 4"),
    POET_PLACED_MUTATION(put_a_tensor_beyond_the_arena, "the arena has"),
    POET_PLACED_MUTATION(put_an_output_beside_what_it_takes_over, "which it takes over"),
    POET_PLACED_MUTATION(leave_out_an_offset, "has no offset for the output"),
    POET_PLACED_MUTATION(leave_out_a_workspace_offset, "has no offset for the workspace"),
    POET_PLACED_MUTATION(leave_out_a_move, "summary.moved_bytes is"),
    POET_PLACED_MUTATION(move_what_is_not_in_ram, "is moved, but is not in RAM"),
    POET_PLACED_MUTATION(move_what_is_transferred, "is moved while it is transferred"),
    POET_PLACED_MUTATION(move_before_the_last_free, "is moved while it is transferred"),
    POET_PLACED_MUTATION(price_what_is_not_moved, "summary.moved_seconds is 1"),
    POET_PLACED_MUTATION(free_a_tensor_early, "the stages say compute"),
    POET_PLACED_MUTATION(shrink_the_arena, "the arena has"),
    POET_PLACED_MUTATION(leave_out_the_arena, "summary.arena_bytes is missing"),
    POET_PLACED_MUTATION(state_another_sum_of_moves, "summary.moved_bytes is"),
    POET_PLACED_MUTATION(read_from_another_slot, "where there is no copy of it"),
    POET_PLACED_MUTATION(write_a_copy_over_another, "where there is no copy of it"),
    POET_PLACED_MUTATION(leave_out_a_slot, "has no slot"),
    POET_PLACED_MUTATION(give_a_slot_to_a_computation, "has a slot, but is not transferred"),
    POET_PLACED_MUTATION(shrink_the_storage, "summary.storage_bytes is"),
};

#undef POET_PLACED_MUTATION

TEST(PlacedFiles, AreValidReadBackAndUseMovesAndSlots) {
  Random random(seed_of_run());
  int moved = 0;
  int stored = 0;
  int reused = 0;
  for (int i = 0; i < 500; ++i) {
    const ScheduleFile file = random_placed_file(random);
    ASSERT_THAT(verify_schedule_file(file), IsEmpty())
        << "seed " << seed_of_run() << ", case " << i;
    ASSERT_EQ(to_json(parse_schedule_file(to_json(file), "placed")), to_json(file)) << "case " << i;
    ASSERT_LE(file.arena.storage_bytes.value_or(0), *file.summary.peak_storage_bytes);
    moved += file.arena.moved_bytes.has_value() ? 1 : 0;
    stored += file.arena.storage_bytes.has_value() ? 1 : 0;
    reused += file.arena.storage_bytes.value_or(0) < *file.summary.peak_storage_bytes ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
  EXPECT_GT(stored, 50);
  EXPECT_GT(reused, 20);
}

class PlacedMutations : public testing::TestWithParam<PlacedMutation> {};

TEST_P(PlacedMutations, AreAllFound) {
  constexpr int kTries = 100'000;
  Random random(seed_of_run());
  int found = 0;
  for (int tried = 0; found < kPlacedCases; ++tried) {
    ASSERT_LT(tried, kTries) << "too few files offer an occasion";
    ScheduleFile file = random_placed_file(random);
    if (!GetParam().apply(random, file)) continue;
    ASSERT_THAT(verify_schedule_file(file), Contains(HasSubstr(GetParam().finding)))
        << "seed " << seed_of_run() << ", case " << found;
    ++found;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, PlacedMutations, testing::ValuesIn(kPlacedMutations),
                         [](const testing::TestParamInfo<PlacedMutation>& test) {
                           return std::string(test.param.name);
                         });

}  // namespace
}  // namespace poet::test
