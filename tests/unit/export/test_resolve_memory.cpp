#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "export/memory_plan.hpp"
#include "export/resolve_memory.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Op = Instruction::Op;

/// a -> b, which may take over a -> c with a workspace; copies in storage have blocks of 32 bytes.
Graph chain() {
  Node a{.name = "a", .op = "input", .bytes = 8, .storage_bytes = 32};
  Node b{.name = "b, \"two\"",
         .op = "relu",
         .bytes = 8,
         .inputs = {0},
         .in_place = 0,
         .storage_bytes = 32};
  Node c{.name = "c", .op = "sum", .bytes = 4, .inputs = {1}, .workspace_bytes = 12};
  return make_graph({a, b, c});
}

/// Pages a out and in again to another place, lets b take it over, and moves b.
std::vector<Instruction> paged() {
  return {{.op = Op::compute, .node = 0, .offset = 16},
          {.op = Op::page_out, .node = 0, .slot = 0},
          {.op = Op::free, .node = 0},
          {.op = Op::page_in, .node = 0, .offset = 4, .slot = 0},
          {.op = Op::compute, .node = 1, .over = 0, .offset = 4},
          {.op = Op::page_out, .node = 1, .slot = 32},
          {.op = Op::move, .node = 1, .offset = 0},
          {.op = Op::compute, .node = 2, .offset = 8, .workspace_offset = 12}};
}

TEST(ResolveMemory, FollowsTensorsThroughPagesTakeoversAndMoves) {
  const std::vector<Instruction> program = paged();
  const ResolvedProgram found = resolve_memory(chain(), program);
  std::vector<std::vector<Bytes>> places;
  for (const ResolvedInstruction& each : found.instructions) {
    places.push_back({each.number, each.op, each.offset, each.from});
  }
  EXPECT_THAT(places,
              ElementsAre(ElementsAre(0, POET_COMPUTE, 16, 0), ElementsAre(1, POET_PAGE_OUT, 16, 0),
                          ElementsAre(3, POET_PAGE_IN, 4, 0), ElementsAre(4, POET_COMPUTE, 4, 0),
                          ElementsAre(5, POET_PAGE_OUT, 4, 32), ElementsAre(6, POET_MOVE, 0, 4),
                          ElementsAre(7, POET_COMPUTE, 8, 0)));
  EXPECT_THAT(found.instructions[3].inputs, ElementsAre(4));
  EXPECT_THAT(found.instructions[6].inputs, ElementsAre(0));
  EXPECT_EQ(found.storage_bytes, 64);
}

TEST(ResolveMemory, FindsLifetimesOfTensorsAndWorkspaces) {
  const std::vector<Instruction> program = paged();
  std::vector<std::vector<Bytes>> found;
  for (const Lifetime& each : lifetimes_of(chain(), program)) {
    found.push_back({each.node, each.first, each.end, each.offset, each.bytes, each.moves});
  }
  EXPECT_THAT(found, ElementsAre(ElementsAre(0, 0, 2, 16, 8, 0), ElementsAre(0, 3, 8, 4, 8, 1),
                                 ElementsAre(2, 7, 8, 8, 4, 0), ElementsAre(2, 7, 8, 12, 12, 0)));
}

TEST(ProgramTable, HasEveryAddress) {
  const Graph graph = chain();
  const std::vector<Instruction> program = paged();
  const FolderFiles files = program_table({.graph = graph, .program = program, .arena_bytes = 24});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "program.csv");
  EXPECT_EQ(files[0].text,
            "instruction,op,node,name,bytes,offset,from,storage,inputs\n"
            "0,compute,0,a,8,16,,,\n"
            "1,page_out,0,a,8,16,,0,\n"
            "3,page_in,0,a,8,4,,0,\n"
            "4,compute,1,\"b, \"\"two\"\"\",8,4,,,4\n"
            "5,page_out,1,\"b, \"\"two\"\"\",8,4,,32,\n"
            "6,move,1,\"b, \"\"two\"\"\",8,0,4,,\n"
            "7,compute,2,c,4,8,,,0\n");
}

TEST(MemoryPlan, HasATensorForEachLifetimeAndNoMoves) {
  const Graph graph = chain();
  std::vector<Instruction> program = paged();
  EXPECT_THAT(input_error([&] { memory_plan({.graph = graph, .program = program}); }),
              HasSubstr("instruction 3: the tensor is moved later"));
  program.erase(program.begin() + 6);
  const FolderFiles files = memory_plan({.graph = graph, .program = program});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "offline_memory_plan.bin");
  const std::string expected(
      "\x01\0\0\0\x01\0\0\0\x04\0\0\0\x10\0\0\0\x04\0\0\0\x08\0\0\0\x0c\0\0\0", 28);
  EXPECT_EQ(files[0].text, expected);
  EXPECT_THAT(files[1].text, HasSubstr("\n1,0,a,3,7,4,8\n"));
  program[6].offset = Bytes{1} << 31;
  EXPECT_THAT(input_error([&] { memory_plan({.graph = graph, .program = program}); }),
              HasSubstr("expected at most 2^31 - 1"));
}

}  // namespace
}  // namespace poet
