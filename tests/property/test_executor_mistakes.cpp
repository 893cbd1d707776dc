// Mistakes that the executor of tests/support/symbolic_executor.cpp has to find, as it is a judge
// of schedules and graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mutations.hpp"
#include "support/executed_step.hpp"

namespace poet::test {
namespace {

using Op = Instruction::Op;
using Program = std::vector<Instruction>;

int node_of(const Graph& graph, const std::string& name) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                               [&](const Node& node) { return node.name == name; });
  EXPECT_NE(at, graph.nodes.end()) << name;
  return static_cast<int>(at - graph.nodes.begin());
}

Occasion computes(const std::string& name) {
  return is(Op::compute) && [name](const Spot& spot) { return spot.computed().name == name; };
}

const Occasion ends = [](const Spot& spot) { return spot.at + 1 == spot.program().size(); };

/// Puts instructions about a node after the place.
Change add(std::vector<Op> ops, const std::string& name) {
  return [ops = std::move(ops), name](Spot& spot, Twister&) {
    std::size_t at = spot.at;
    for (const Op op : ops) {
      spot.program().insert(iterator_at(spot, ++at),
                            {.op = op, .node = node_of(spot.graph(), name)});
    }
  };
}

Change overwrite(const std::string& name) {
  return [name](Spot& spot, Twister&) { spot.step().over = node_of(spot.graph(), name); };
}

/// What is wrong with the result of a program, without the number of the instruction.
std::string fault_of(const ExecutedStep& step, const Program& program) {
  return std::regex_replace(step.fault(program), std::regex("^instruction [0-9]+, "), "");
}

/// A mistake in a program that is valid after other changes to keeping everything.
struct Mistake {
  Mutation mutation;
  std::vector<Mutation> before{};
  ExecutedStep (*step)() = [] { return builtin_step("linear"); };
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.mutation.name;
}

std::vector<Mistake> mistakes() {
  // relu1 is in storage while nobody reads it.
  const std::vector<Mutation> paged{
      {"page out", computes("fc2"), add({Op::page_out, Op::free}, "relu1")},
      {"page in", computes("loss"), add({Op::page_in}, "relu1")}};
  const Change swap_with_the_next = [](Spot& spot, Twister&) {
    std::swap(spot.step(), spot.program()[spot.at + 1]);
  };
  return {
      {{"APageInIsMissing", is(Op::page_in), drop_step, "compute gradw(fc2): relu1 is not in RAM"},
       paged},
      {{"APageOutIsMissing", is(Op::page_out), drop_step,
        "page in relu1: there is no copy of it in storage"},
       paged},
      {{"APageOutComesAfterTheFree", is(Op::page_out), swap_with_the_next,
        "page out relu1: relu1 is not in RAM"},
       paged},
      {{"AFreeComesTwice", ends, add({Op::free, Op::free}, "relu1"),
        "free relu1: relu1 is not in RAM"}},
      {{"AGradientIsRecomputedAfterTheUpdateOfItsParameters", computes("gradw(fc2)"),
        add({Op::compute}, "grad(relu1)"), "computation 3 of grad(relu1) gives another value"},
       {{"again", computes("grad(relu1)"), add({Op::compute}, "grad(relu1)")}}},
      {{"ALayerIsRecomputedAfterTheUpdateOfItsParameters", computes("gradw(fc2)"),
        add({Op::compute}, "fc2"), "computation 2 of fc2 gives another value"}},
      {{"ParametersAreUpdatedTwice", computes("gradw(fc2)"), add({Op::compute}, "gradw(fc2)"),
        "the parameters fc2 are others after the step"}},
      {{"TheSampleIsTakenTwice", computes("input"), add({Op::compute}, "input"),
        "computation 2 of input gives another value"}},
      {{"ANodeIsLeftOut", computes("gradw(fc1)"), drop_step, "gradw(fc1) is never computed"}},
      // `gate` is not read again: the gradient of a rectifier needs its output. `a` is.
      {{"ATensorThatIsStillNeededIsOverwritten", computes("gelu"), overwrite("a"),
        "compute gate: a is not in RAM"},
       {{"gate", computes("relu"), overwrite("gate")}},
       gated_step},
      {{"AProductIsComputedOverItsInput", computes("fc2"), overwrite("relu1"),
        "compute fc2: it may not be computed over relu1"}}};
}

class ExecutorMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ExecutorMistakes, AreFoundForWhatTheyAre) {
  const Mistake& mistake = GetParam();
  const ExecutedStep step = mistake.step();
  ScheduleFile file{.graph = step.graph, .program = step.keep_all()};
  Twister random(1);
  for (const Mutation& change : mistake.before) ASSERT_TRUE(mutate(random, change, file));
  EXPECT_EQ(step.fault(file.program), "");
  ASSERT_TRUE(mutate(random, mistake.mutation, file));
  EXPECT_EQ(fault_of(step, file.program), std::get<std::string_view>(mistake.mutation.rule));
}

INSTANTIATE_TEST_SUITE_P(Each, ExecutorMistakes, testing::ValuesIn(mistakes()),
                         [](const auto& test) { return std::string(test.param.mutation.name); });

// In this program every free follows the last computation that reads the tensor.
TEST(ExecutorMistake, AnyFreeIsTooEarly) {
  const ExecutedStep step = builtin_step("linear");
  const Program program = step.keep_needed();
  int tried = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].op != Op::free) continue;
    const std::string& name = step.model.nodes[program[i].node].name;
    std::size_t reader = i;
    while (program[reader].op != Op::compute) --reader;
    const std::string& reading = step.model.nodes[program[reader].node].name;
    if (!testing::Value(step.formulas.at(reading).reads, testing::Contains(name))) continue;
    Program early = program;
    std::rotate(early.begin() + static_cast<std::ptrdiff_t>(reader),
                early.begin() + static_cast<std::ptrdiff_t>(i),
                early.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    EXPECT_EQ(fault_of(step, early), fmt::format("compute {}: {} is not in RAM", reading, name));
    ++tried;
  }
  EXPECT_GT(tried, 10);
}

// A graph without the edge frees the tensor too early.
TEST(ExecutorMistake, TheEdgeToTheLastReaderIsMissing) {
  for (const char* const name : {"linear", "ds_cnn", "vgg16_cifar"}) {
    const ExecutedStep whole = builtin_step(name);
    int tried = 0;
    for (int node = 0; node < whole.graph.size(); ++node) {
      if (whole.graph.users[node].size() < 2) continue;
      const int reader = whole.graph.users[node].back();
      if (whole.model.nodes[node].name == "loss") continue;
      ExecutedStep step = whole;
      std::vector<Node> nodes = whole.graph.nodes;
      std::erase(nodes[reader].inputs, node);
      if (nodes[reader].in_place == node) nodes[reader].in_place.reset();
      step.graph = make_graph(std::move(nodes));
      EXPECT_EQ(fault_of(step, step.keep_needed()),
                fmt::format("compute {}: {} is not in RAM", whole.model.nodes[reader].name,
                            whole.model.nodes[node].name));
      ++tried;
    }
    EXPECT_GT(tried, 10) << name;
  }
}

}  // namespace
}  // namespace poet::test
