// Offsets and slots that schedule files get, and what becomes of schedules that have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "report/place_schedule.hpp"
#include "report/schedule_draft.hpp"
#include "report/schedule_version.hpp"
#include "report/unplaced_file.hpp"
#include "schedule/addresses.hpp"
#include "support/tiny_report.hpp"

namespace poet {
namespace {

using test::keep_all;
using test::page_a;
using test::recompute_a;
using test::TinySolve;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Op = Instruction::Op;

/// A file of everything computed once, with these sizes and inputs.
ScheduleFile file_of(const std::vector<Bytes>& bytes, const std::vector<std::vector<int>>& inputs,
                     const std::string& backward = "explicit") {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    nodes.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                     .bytes = bytes[i],
                     .runtime_seconds = 1,
                     .energy_joules = 1,
                     .page_in_energy_joules = 1,
                     .page_out_energy_joules = 1,
                     .inputs = inputs[i]});
  }
  const Graph graph = make_graph(std::move(nodes));
  const Schedule schedule = baseline(graph).schedule;
  return complete_draft(make_draft(graph, schedule, {.name = "t", .backward = backward}));
}

/// No offsets fit its peak of 96 bytes: tensors have to be moved.
ScheduleFile tight_file() {
  return file_of({20, 32, 28, 16, 36, 4, 12, 32, 4, 16, 36, 8, 28},
                 {{}, {0}, {0}, {1, 2}, {1}, {4}, {0, 5}, {1}, {1}, {6, 7}, {5, 7}, {9}, {7}});
}

TEST(AddOffsets, RoundsSizesEvenBeyondTheBudget) {
  const ScheduleFile file = TinySolve(keep_all()).report();
  EXPECT_EQ(file.request.limits.ram_budget_bytes, 1101);
  EXPECT_EQ(file.arena.arena_bytes, 1104);
  EXPECT_FALSE(file.arena.moved_bytes);
  EXPECT_FALSE(file.arena.storage_bytes);
  EXPECT_EQ(file.summary.peak_storage_bytes, 0);
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
}

TEST(AddOffsets, KeepsToTheAlignmentOfTheGraph) {
  ScheduleFile file = TinySolve(keep_all()).unplaced();
  file.model.alignment = 32;
  add_offsets(file);
  for (const Instruction& step : file.program) EXPECT_EQ(step.offset.value_or(0) % 32, 0);
  EXPECT_EQ(file.arena.arena_bytes, 128 + 32 + 1024);
  file = TinySolve(keep_all()).unplaced();
  file.model.alignment = 1;
  add_offsets(file);
  EXPECT_EQ(file.arena.arena_bytes, 1104) << "floats have to be at multiples of 4";
}

TEST(AddOffsets, ChangesNothingElse) {
  for (const Schedule& schedule : {keep_all(), recompute_a(), page_a()}) {
    ScheduleFile file = TinySolve(schedule).report();
    file.program = without_offsets(file.program);
    file.arena = {};
    file.summary.peak_storage_bytes.reset();
    EXPECT_EQ(to_json(file), to_json(TinySolve(schedule).unplaced()));
  }
}

TEST(AddOffsets, MovesTensorsWhereNoOffsetsFit) {
  const ScheduleFile file = tight_file();
  EXPECT_EQ(file.summary.peak_ram_bytes, 96);
  EXPECT_EQ(file.arena.arena_bytes, 96);
  Bytes moved = 0;
  for (const Instruction& step : file.program) {
    if (step.op == Op::move) moved += file.graph.nodes[static_cast<std::size_t>(step.node)].bytes;
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(file.arena.moved_bytes, moved);
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
}

TEST(AddOffsets, GivesTheSameScheduleTheSameOffsets) {
  EXPECT_EQ(to_json(tight_file()), to_json(tight_file()));
  EXPECT_EQ(to_json(place_schedule(tight_file(), {}).file), to_json(tight_file()));
}

TEST(PlaceSchedule, WithoutMovesSaysWhatIsMissing) {
  const PlacedSchedule placed = place_schedule(tight_file(), {.moves = false});
  EXPECT_FALSE(placed.fits);
  EXPECT_EQ(placed.search, PlacementStatus::impossible);
  EXPECT_EQ(placed.peak_bytes, 96);
  EXPECT_EQ(placed.capacity_bytes, 96);
  ASSERT_GT(placed.unmoved_bytes, 96);
  const PlacedSchedule roomy =
      place_schedule(tight_file(), {.capacity_bytes = placed.unmoved_bytes, .moves = false});
  EXPECT_TRUE(roomy.fits);
  EXPECT_FALSE(roomy.file.arena.moved_bytes);
}

TEST(PlaceSchedule, HoldsExactGraphsToTheirBudget) {
  const PlaceOptions wide{.alignment = 32};
  const std::vector<std::vector<int>> chain = {{}, {0}, {1}};
  const PlacedSchedule exact = place_schedule(file_of({4, 8, 4}, chain, "exact"), wide);
  EXPECT_FALSE(exact.fits);
  EXPECT_EQ(exact.unmoved_bytes, 64);
  const PlacedSchedule measured = place_schedule(file_of({4, 8, 4}, chain), wide);
  EXPECT_TRUE(measured.fits);
  EXPECT_EQ(measured.capacity_bytes, 64);
}

/// a and b are written out and read back, a before b is written: one slot will do.
Schedule page_twice() {
  return {.stages = {{.compute = {0}},
                     {.resident = {0}, .compute = {1}, .page_out = {0}},
                     {.resident = {1}, .compute = {2}, .page_in = {0}},
                     {.resident = {0, 1, 2}, .compute = {3}, .page_out = {1}},
                     {.resident = {0, 3}, .compute = {4}, .page_in = {1}},
                     {.resident = {1, 4}, .compute = {5}}}};
}

ScheduleFile paged_twice() {
  std::vector<Node> nodes;
  for (const auto& inputs : std::vector<std::vector<int>>{{}, {0}, {1}, {0, 2}, {0, 3}, {1, 4}}) {
    nodes.push_back({.name = std::string(1, static_cast<char>('a' + nodes.size())),
                     .bytes = 40,
                     .runtime_seconds = 1,
                     .energy_joules = 1,
                     .inputs = inputs});
  }
  nodes[1].storage_bytes = 512;
  return complete_draft(make_draft(make_graph(std::move(nodes)), page_twice(),
                                   {.name = "t", .backward = "explicit"}));
}

TEST(AddOffsets, UsesTheSlotOfACopyThatIsNoLongerNeeded) {
  const ScheduleFile file = paged_twice();
  EXPECT_EQ(file.summary.peak_storage_bytes, 40 + 512);
  EXPECT_EQ(file.arena.storage_bytes, 512);
  std::vector<Bytes> slots;
  for (const Instruction& step : file.program) {
    if (step.slot) slots.push_back(*step.slot);
  }
  EXPECT_EQ(slots.size(), 4U);
  EXPECT_THAT(slots, Each(0));
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
}

TEST(CheckSlots, FindsWhatADeviceWouldLose) {
  const Graph graph = make_graph({{.name = "a", .bytes = 8}, {.name = "b", .bytes = 8}});
  const auto out = [](int node, std::optional<Bytes> slot) {
    return Instruction{.op = Op::page_out, .node = node, .slot = slot};
  };
  const auto in = [](int node, std::optional<Bytes> slot) {
    return Instruction{.op = Op::page_in, .node = node, .slot = slot};
  };
  const auto findings = [&](const std::vector<Instruction>& program) {
    return check_slots(graph, program, 16);
  };
  EXPECT_THAT(findings({out(0, 0), out(1, 8), in(0, 0), in(1, 8)}), IsEmpty());
  EXPECT_THAT(findings({out(0, 0), in(0, 0), out(1, 4), in(1, 4)}), IsEmpty());
  EXPECT_THAT(findings({out(0, 0), out(1, 7), in(0, 0)}),
              ElementsAre("program: instruction 2: 0 (a) is read from slot 0, where there is no "
                          "copy of it"));
  EXPECT_THAT(findings({out(0, 0), in(0, 4)}), ElementsAre(HasSubstr("is read from slot 4")));
  EXPECT_THAT(findings({out(0, 0), in(1, 0)}), ElementsAre(HasSubstr("1 (b) is read from slot 0")));
  EXPECT_THAT(findings({out(0, 9)}), ElementsAre(HasSubstr("a copy of 8 bytes in slot 9")));
  EXPECT_THAT(findings({out(0, {})}), ElementsAre(HasSubstr("has no slot")));
  Graph short_copy = graph;
  short_copy.nodes[0].storage_bytes = 4;  // make_graph() refuses it
  EXPECT_THAT(check_slots(short_copy, std::vector{out(0, 0)}, 16),
              ElementsAre(HasSubstr("has a copy of 4 bytes; the tensor has 8")));
  EXPECT_THAT(findings({{.op = Op::free, .node = 0, .slot = 0}}),
              ElementsAre(HasSubstr("is not transferred")));
  EXPECT_THAT(check_slots(graph, std::vector{out(0, 0)}, std::nullopt),
              ElementsAre(HasSubstr("summary.storage_bytes is 0")));
}

TEST(WithOtherSchedule, KeepsTheRequestAndItsBound) {
  TinySolve solve(keep_all());
  solve.request.runtime_budget_ratio = 16.0 / 15;
  const ScheduleFile file = solve.report();
  SolveResult tighter = TinySolve(recompute_a()).result;
  tighter.lower_bound_joules = 16;  // proven within less RAM alone
  const ScheduleFile other = with_other_schedule(file, tighter);
  EXPECT_EQ(other.schedule, recompute_a());
  EXPECT_EQ(other.summary.energy_joules, 16);
  EXPECT_EQ(other.summary.lower_bound_joules, 15);
  EXPECT_EQ(other.summary.gap, 1.0 / 16);
  EXPECT_EQ(other.status, Status::feasible);
  EXPECT_EQ(other.request.limits.ram_budget_bytes, file.request.limits.ram_budget_bytes);
  EXPECT_EQ(other.model.name, file.model.name);
  EXPECT_EQ(other.platform->name, file.platform->name);
  EXPECT_THAT(verify_schedule_file(other), IsEmpty());
  EXPECT_EQ(with_other_schedule(file, solve.result).status, Status::optimal);
}

}  // namespace
}  // namespace poet
