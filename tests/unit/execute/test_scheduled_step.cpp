// Programs that are right, programs that are not, and storage that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "execute/run_schedule.hpp"
#include "execute/scheduled_step.hpp"
#include "expect_input_error.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "problem/alignment.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

using Program = std::vector<Instruction>;
using Op = Instruction::Op;

/// Two rectified layers and a loss, with everything computed once and freed after its last reader.
class ScheduledSteps : public testing::Test {
 protected:
  int index(const std::string& name) const { return index_of(model_, name); }

  std::size_t at(Op op, const std::string& name) const {
    const auto found = std::find_if(program_.begin(), program_.end(), [&](const Instruction& each) {
      return each.op == op && each.node == index(name);
    });
    return static_cast<std::size_t>(found - program_.begin());
  }

  RunResult run(const Program& program, const RunSettings& settings = {.check = true}) const {
    return run_schedule(step_, graph_, program, kUsualAlignment, settings);
  }

  /// The output of `a` leaves RAM before the backward pass and comes back for it.
  Program paged() const {
    Program program = program_;
    const auto reader = static_cast<std::ptrdiff_t>(at(Op::compute, "gradw(b)"));
    program.insert(program.begin() + reader, {.op = Op::page_in, .node = index("a")});
    const auto after = static_cast<std::ptrdiff_t>(at(Op::compute, "b")) + 1;
    program.insert(program.begin() + after, {{.op = Op::page_out, .node = index("a")},
                                             {.op = Op::free, .node = index("a")}});
    return program;
  }

  std::string text_ = exact_text("[3, 6]", R"(
      {"name": "a", "op": "linear_relu", "inputs": ["input"], "out_features": 7},
      {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 5},
      {"name": "loss", "op": "cross_entropy", "inputs": ["b"], "classes": 5})");
  Model model_ = parse_model(text_, "tiny.json");
  Platform platform_ = load_platform("m4");
  Graph graph_ = cost_graph(model_, &platform_);
  TrainingStep step_ = bound_step(text_);
  Program program_ = to_program(graph_, baseline(graph_).schedule);
  TemporaryFolder folder_;
};

TEST_F(ScheduledSteps, ComputeTheSameInAnArenaOfThePeak) {
  const RunResult result = run(program_);
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.gradients.size(), 2U);
  EXPECT_EQ(result.arena_bytes, baseline(graph_).peak_ram_bytes);
  EXPECT_EQ(result.peak_touched_bytes, baseline(graph_).peak_ram_bytes);
}

TEST_F(ScheduledSteps, LowerTheLossStepByStep) {
  const RunResult result = run(program_, {.steps = 20, .check = true});
  EXPECT_TRUE(result.equal());
  ASSERT_EQ(result.losses.size(), 20U);
  EXPECT_TRUE(std::is_sorted(result.losses.rbegin(), result.losses.rend()));
  EXPECT_LT(result.losses.back(), result.losses.front());
}

TEST_F(ScheduledSteps, DependOnTheSeedAlone) {
  const RunResult first = run(program_, {.seed = 7});
  EXPECT_EQ(run(paged(), {.seed = 7}).gradients[0].sha256, first.gradients[0].sha256);
  EXPECT_NE(run(program_, {.seed = 8}).gradients[0].sha256, first.gradients[0].sha256);
}

TEST_F(ScheduledSteps, PageThroughAFile) {
  const std::string path = folder_.file("pages");
  const RunResult result = run(paged(), {.steps = 2, .storage = path, .sync = true, .check = true});
  EXPECT_TRUE(result.equal());
  const Bytes bytes = graph_.nodes[static_cast<std::size_t>(index("a"))].bytes;
  EXPECT_EQ(result.page_out_bytes, 2 * bytes);
  EXPECT_EQ(result.page_in_bytes, 2 * bytes);
  EXPECT_EQ(static_cast<Bytes>(std::filesystem::file_size(path)), bytes);
}

TEST_F(ScheduledSteps, PageToTheSlotsThatTheProgramStates) {
  const std::string path = folder_.file("pages");
  const Bytes bytes = graph_.nodes[static_cast<std::size_t>(index("a"))].bytes;
  Program program = paged();
  for (Instruction& step : program) {
    if (step.op == Op::page_out || step.op == Op::page_in) step.slot = 4096;
  }
  EXPECT_TRUE(run(program, {.steps = 2, .storage = path, .check = true}).equal());
  EXPECT_EQ(static_cast<Bytes>(std::filesystem::file_size(path)), 4096 + bytes);
  for (Instruction& step : program) {
    if (step.op == Op::page_in) step.slot = 0;
  }
  EXPECT_THAT(input_error([&] { run(program); }), HasSubstr("'a' has no whole copy in storage"));
}

TEST_F(ScheduledSteps, RefuseAProgramThatReadsWhatIsNotThere) {
  Program early = program_;
  std::erase(early, Instruction{.op = Op::free, .node = index("a")});
  early.insert(early.begin() + static_cast<std::ptrdiff_t>(at(Op::compute, "loss")),
               {.op = Op::free, .node = index("a")});
  EXPECT_THAT(input_error([&] { run(early); }), HasSubstr("'a' is not in RAM"));

  Program not_paged_in = paged();
  std::erase(not_paged_in, Instruction{.op = Op::page_in, .node = index("a")});
  EXPECT_THAT(input_error([&] { run(not_paged_in); }), HasSubstr("is not in RAM"));

  Program not_paged_out = paged();
  std::erase(not_paged_out, Instruction{.op = Op::page_out, .node = index("a")});
  EXPECT_THAT(input_error([&] { run(not_paged_out); }),
              HasSubstr("'a' has no whole copy in storage"));

  Program freed_twice = program_;
  freed_twice.push_back({.op = Op::free, .node = index("a")});
  EXPECT_THAT(input_error([&] { run(freed_twice); }), HasSubstr("is not in RAM"));
}

TEST_F(ScheduledSteps, RefuseOffsetsThatAreNoPlaces) {
  Program placed = program_;
  Bytes end = 0;
  for (Instruction& each : placed) {
    if (each.op != Op::compute) continue;
    const auto bytes = graph_.nodes[static_cast<std::size_t>(each.node)].bytes;
    const auto taken = std::find_if(placed.begin(), placed.end(), [&](const Instruction& other) {
      return other.op == Op::compute && other.node == each.over;
    });
    each.offset = taken == placed.end() ? end : *taken->offset;
    end += bytes;
  }
  EXPECT_TRUE(run(placed).equal());
  const auto error_at = [&](const std::string& name, std::optional<Bytes> offset) {
    Program changed = placed;
    changed[at(Op::compute, name)].offset = offset;
    return input_error([&] { run(changed); });
  };
  EXPECT_THAT(error_at("a", placed[0].offset), HasSubstr("'a' is put over what is in RAM"));
  EXPECT_THAT(error_at("a", -4), HasSubstr("'a' is at -4; expected a multiple of 4"));
  EXPECT_THAT(error_at("a", end + 2), HasSubstr("expected a multiple of 4"));
  EXPECT_THAT(error_at("a", std::nullopt), HasSubstr("'a' has no offset, but others have"));

  const auto over = std::find_if(placed.begin(), placed.end(),
                                 [](const Instruction& each) { return each.over.has_value(); });
  ASSERT_NE(over, placed.end());
  *over->offset += 4;
  EXPECT_THAT(input_error([&] { run(placed); }),
              HasSubstr("where the input is that it takes over"));

  Program moved = program_;
  moved.insert(moved.begin(), {.op = Op::move, .node = index("a"), .offset = 0});
  EXPECT_THAT(input_error([&] { run(moved); }), HasSubstr("'a' is moved, but is not in RAM"));
}

TEST_F(ScheduledSteps, RefuseSizesThatPutFloatsAnywhere) {
  const std::string text = exact_text("[1, 1, 5, 1]", R"(
      {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 1, "kernel": 1},
      {"name": "b", "op": "max_pool2d", "inputs": ["a"], "kernel": 1},
      {"name": "b2", "op": "max_pool2d", "inputs": ["b"], "kernel": 1},
      {"name": "c", "op": "flatten", "inputs": ["b2"]},
      {"name": "loss", "op": "cross_entropy", "inputs": ["c"], "classes": 5})");
  Model model = parse_model(text, "tiny.json");
  model.alignment = 1;
  const Graph graph = cost_graph(model, &platform_);
  const Program program = to_program(graph, baseline(graph).schedule);
  EXPECT_THAT(input_error([&] { run_schedule(bound_step(text), graph, program, 1, {}); }),
              HasSubstr("found tensors rounded to multiples of 1 bytes; expected 4"));
}

// What no check of instructions can find: the bits are wrong.
TEST_F(ScheduledSteps, ShowAProgramThatComputesSomethingElse) {
  Program late = program_;
  const auto update = static_cast<std::ptrdiff_t>(at(Op::compute, "gradw(b)"));
  // The fused update of b before the gradient that reads what it changes.
  const auto gradient = static_cast<std::ptrdiff_t>(at(Op::compute, "grad(a)"));
  ASSERT_LT(gradient, update);
  std::rotate(late.begin() + gradient, late.begin() + update, late.begin() + update + 1);
  const RunResult result = run(late);
  EXPECT_FALSE(result.equal());
  EXPECT_FALSE(result.gradients[0].is_equal);
  EXPECT_TRUE(result.gradients[1].is_equal);
}

TEST_F(ScheduledSteps, ReportStorageThatFails) {
  EXPECT_THAT(input_error([&] { run(paged(), {.storage = "/dev/full"}); }),
              HasSubstr("/dev/full: page-out of 84 bytes at offset 0: No space left on device"));
  EXPECT_THAT(input_error([&] { run(paged(), {.storage = folder_.path()}); }),
              HasSubstr("cannot be opened: Is a directory"));
  EXPECT_THAT(input_error([&] { run(paged(), {.storage = "/dev/null"}); }),
              HasSubstr("/dev/null: page-in of 84 bytes at offset 0: the file ends before"));
}

TEST(PageFiles, ReportAFileThatHasBecomeShorter) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pages");
  PageFile pages(path);
  const std::vector<std::byte> written(84, std::byte{7});
  std::vector<std::byte> found(84);
  pages.write(10, written.data(), 84);
  pages.read(10, found.data(), 84);
  EXPECT_EQ(found, written);
  std::filesystem::resize_file(path, 60);
  EXPECT_THAT(input_error([&] { pages.read(10, found.data(), 84); }),
              HasSubstr("pages: page-in of 84 bytes at offset 10: the file ends before"));
}

TEST_F(ScheduledSteps, RefuseAnotherGraph) {
  Graph other = graph_;
  other.nodes[1].bytes /= 4;
  EXPECT_THAT(input_error([&] { expect_graph_of(step_, other, kUsualAlignment); }),
              HasSubstr("the schedule's node 'a' has 21 bytes; expected 84"));
  other.nodes[1].name = "other";
  EXPECT_THAT(input_error([&] { expect_graph_of(step_, other, kUsualAlignment); }),
              HasSubstr("node 1 is 'other'; expected 'a'"));
  other.nodes.pop_back();
  EXPECT_THAT(input_error([&] { expect_graph_of(step_, other, kUsualAlignment); }),
              HasSubstr("expected the "));
}

// A schedule's order has chosen what is taken over; the model file has not.
TEST_F(ScheduledSteps, RefuseAGraphWhoseOutputsAreOverWhatKernelsReadOn) {
  Graph other = graph_;
  other.nodes[index("grad(a.z)")].in_place = index("a");
  EXPECT_THAT(input_error([&] { expect_graph_of(step_, other, kUsualAlignment); }),
              HasSubstr("'grad(a.z)' may take over one of its inputs; its kernel, "
                        "poet_linear_relu_grad_z, cannot do that"));
}

TEST_F(ScheduledSteps, RefuseAGraphThatLacksAnEdge) {
  int lacking = 0;
  for (int node = 0; node < graph_.size(); ++node) {
    for (std::size_t i = 0; i < graph_.nodes[node].inputs.size(); ++i) {
      Graph other = graph_;
      Node& changed = other.nodes[node];
      const std::string input = graph_.nodes[changed.inputs[i]].name;
      if (input == "loss") continue;  // it comes before its gradient, and no kernel reads it
      changed.inputs.erase(changed.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_THAT(input_error([&] { expect_graph_of(step_, other, kUsualAlignment); }),
                  HasSubstr("the schedule's node '" + changed.name + "' has no input '" + input +
                            "'; expected it"));
      ++lacking;
    }
  }
  EXPECT_GT(lacking, 5);
}

/// Offsets one after the other, in banks that end where every second tensor does.
TEST_F(ScheduledSteps, RunsInBanksAndPutsNothingAcrossTwo) {
  Program program = program_;
  const ProgramBuffers buffers = program_buffers(graph_, program);
  std::vector<Bytes> offsets;
  std::vector<BankRange> banks;
  Bytes end = 0;
  for (std::size_t b = 0; b < buffers.buffers.size(); ++b) {
    offsets.push_back(end);
    end += aligned(buffers.buffers[b].bytes, kUsualAlignment);
    if (b % 2 == 1) banks.push_back({.from = banks.empty() ? 0 : banks.back().to, .to = end});
  }
  if (banks.back().to < end) banks.push_back({.from = banks.back().to, .to = end});
  ASSERT_GT(banks.size(), 2);
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (buffers.of_instruction[at] >= 0) program[at].offset = offsets[buffers.of_instruction[at]];
    if (buffers.workspace[at] >= 0) program[at].workspace_offset = offsets[buffers.workspace[at]];
  }
  const RunResult result = run(program, {.check = true, .banks = banks});
  EXPECT_TRUE(result.equal());
  EXPECT_EQ(result.arena_bytes, end);
  banks[0].to -= 4;
  banks[1].from -= 4;
  EXPECT_THAT(input_error([&] { run(program, {.check = true, .banks = banks}); }),
              HasSubstr("is where no single bank holds it"));
}

TEST(GuardedArenas, HoldWhatIsInOneBlock) {
  const std::vector<BankRange> ranges{{.from = 0, .to = 24}, {.from = 64, .to = 72}};
  GuardedArena arena(ranges, true);
  EXPECT_EQ(arena.bytes(), 32);
  EXPECT_TRUE(arena.holds(64, 8));
  EXPECT_TRUE(arena.holds(16, 8));
  EXPECT_FALSE(arena.holds(16, 12));
  EXPECT_FALSE(arena.holds(32, 4));
  EXPECT_FALSE(arena.holds(68, 8));
  const std::uint32_t number = 42;
  arena.open(20, 4);
  std::memcpy(arena.at(20), &number, sizeof number);
  arena.move(20, 68, 4);
  std::uint32_t moved = 0;
  std::memcpy(&moved, arena.at(68), sizeof moved);
  EXPECT_EQ(moved, number);
  EXPECT_TRUE(arena.intact());
}

#ifndef POET_SANITIZE
TEST(GuardedArenasDeathTest, EndEachBankBeforeAPageThatMayNotBeTouched) {
  const std::vector<BankRange> ranges{{.from = 0, .to = 24}, {.from = 24, .to = 48}};
  GuardedArena arena(ranges, false);
  volatile std::byte* const last = arena.at(23);
  *last = std::byte{1};
  EXPECT_DEATH(*(last + 1) = std::byte{1}, "");
}

TEST(GuardedBlocks, HoldSignallingNansWhereNothingIsInUse) {
  GuardedBlock block(24, true);
  const auto bits = [&](Bytes offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, block.at(offset), sizeof value);
    return value;
  };
  constexpr std::uint32_t kNan = 0x7fa00000;
  EXPECT_EQ(bits(20), kNan);
  const std::uint32_t number = 42;
  block.open(8, 8);
  std::memcpy(block.at(8), &number, sizeof number);
  block.move(8, 4, 8);
  EXPECT_EQ(bits(4), number);
  EXPECT_EQ(bits(12), kNan);
  block.move(4, 12, 8);
  EXPECT_EQ(bits(12), number);
  EXPECT_EQ(bits(4), kNan);
  block.close(12, 8);
  EXPECT_EQ(bits(12), kNan);
  EXPECT_TRUE(block.intact());
  *(block.at(0) - 1) = std::byte{0};
  EXPECT_FALSE(block.intact());
}

TEST(GuardedBlocksDeathTest, EndBeforeAPageThatMayNotBeTouched) {
  GuardedBlock block(24, false);
  volatile std::byte* const end = block.at(24);
  EXPECT_DEATH(*end = std::byte{1}, "");
}
#endif

}  // namespace
}  // namespace poet::test
