#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "poet/arena.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/tiny_schedules.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using Op = Instruction::Op;

/// Three nodes of 8 bytes; the second may take over the first and has a workspace of 3.
Graph chain() {
  return make_graph({{.name = "a", .bytes = 8},
                     {.name = "b", .bytes = 8, .inputs = {0}, .in_place = 0, .workspace_bytes = 3},
                     {.name = "c", .bytes = 8, .inputs = {1}}});
}

TEST(ProgramBuffers, OpenAtComputationsAndCloseAtFrees) {
  const std::vector<Instruction> program = {{Op::compute, 0}, {Op::compute, 1}, {Op::free, 0},
                                            {Op::compute, 2}, {Op::free, 1},    {Op::free, 2}};
  const ProgramBuffers found = program_buffers(chain(), program);
  EXPECT_THAT(found.buffers,
              ElementsAre(Buffer{0, 2, 8}, Buffer{1, 4, 8}, Buffer{1, 2, 3}, Buffer{3, 5, 8}));
  EXPECT_THAT(found.nodes, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(found.of_instruction, ElementsAre(0, 1, -1, 3, -1, -1));
  EXPECT_THAT(found.workspace, ElementsAre(-1, 2, -1, -1, -1, -1));
}

TEST(ProgramBuffers, GoOnIfAnOutputTakesOverAnInput) {
  const std::vector<Instruction> program = {
      {Op::compute, 0}, {Op::compute, 1, 0}, {Op::compute, 2}, {Op::free, 1}, {Op::free, 2}};
  const ProgramBuffers found = program_buffers(chain(), program);
  EXPECT_THAT(found.buffers, ElementsAre(Buffer{0, 3, 8}, Buffer{1, 2, 3}, Buffer{2, 4, 8}));
  EXPECT_THAT(found.of_instruction, ElementsAre(0, 0, 2, -1, -1));
}

TEST(ProgramBuffers, StayOpenAfterAPageOutAndOpenAgainWithAPageIn) {
  const std::vector<Instruction> program = to_program(test::tiny_graph(), test::page_a());
  const ProgramBuffers found = program_buffers(test::tiny_graph(), program);
  std::vector<Buffer> of_a;
  for (std::size_t b = 0; b < found.buffers.size(); ++b) {
    if (found.nodes[b] == 0) of_a.push_back(found.buffers[b]);
  }
  // compute 0, page_out 0, compute 1, free 0, compute 2, free 1, page_in 0, compute 3, free 0, ...
  EXPECT_THAT(of_a, ElementsAre(Buffer{0, 3, 100}, Buffer{6, 8, 100}));
}

TEST(ProgramBuffers, RefuseProgramsThatDoNotRun) {
  const auto refuse = [](const std::vector<Instruction>& program) {
    EXPECT_THROW(program_buffers(chain(), program), InputError);
  };
  refuse({{Op::compute, 0}, {Op::compute, 0}});
  refuse({{Op::compute, 0}, {Op::page_in, 0}});
  refuse({{Op::free, 0}});
  refuse({{Op::compute, 1, 0}});
  refuse({{Op::compute, 3}});
  refuse({{Op::page_in, -1}});
}

TEST(ProgramCopies, LiveFromThePageOutToTheLastPageIn) {
  const std::vector<Instruction> program = {{Op::page_out, 0}, {Op::page_out, 1}, {Op::page_in, 0},
                                            {Op::page_in, 0},  {Op::page_out, 0}, {Op::free, 0},
                                            {Op::page_in, 1}};
  const ProgramCopies found = program_copies(chain(), program);
  EXPECT_THAT(found.buffers, ElementsAre(Buffer{0, 4, 8}, Buffer{1, 7, 8}, Buffer{4, 5, 8}));
  EXPECT_THAT(found.of_instruction, ElementsAre(0, 1, 0, 0, 2, -1, 1));
}

TEST(ProgramCopies, HaveWholeBlocks) {
  const Graph graph = make_graph({{.name = "a", .bytes = 8, .storage_bytes = 512}});
  const std::vector<Instruction> program = {{Op::page_out, 0}};
  EXPECT_THAT(program_copies(graph, program).buffers, ElementsAre(Buffer{0, 1, 512}));
}

TEST(ProgramCopies, RefuseProgramsThatDoNotRun) {
  EXPECT_THROW(program_copies(chain(), std::vector<Instruction>{{Op::page_in, 0}}), InputError);
  EXPECT_THROW(program_copies(chain(), std::vector<Instruction>{{Op::page_out, 3}}), InputError);
}

TEST(ProgramBuffers, NeedWhatTheReplayCounts) {
  test::Twister random(1);
  for (int i = 0; i < 300; ++i) {
    const test::Case made = test::random_exact_case(random);
    const std::vector<Instruction> program =
        to_program(made.graph, made.schedule, made.limits.paging_time);
    const Replay replay = simulate(made.graph, made.schedule, made.limits);
    EXPECT_EQ(peak_bytes(program_buffers(made.graph, program).buffers), replay.peak_ram_bytes) << i;
  }
}

}  // namespace
}  // namespace poet
