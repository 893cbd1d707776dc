// Mistakes that the executor of tests/support/symbolic_executor.cpp has to find, as it is a judge
// of schedules and graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/executed_step.hpp"

namespace poet::test {
namespace {

using Op = Instruction::Op;
using Program = std::vector<Instruction>;
using testing::HasSubstr;

class ExecutorMistake : public testing::Test {
 protected:
  int index(const std::string& name) const { return index_of(step_.model, name); }

  Program::iterator find(Program& program, Op op, const std::string& name) const {
    const auto found = std::find_if(program.begin(), program.end(), [&](const Instruction& each) {
      return each.op == op && each.node == index(name);
    });
    EXPECT_NE(found, program.end()) << name;
    return found;
  }

  /// Inserts an instruction right after the computation of a node.
  void insert_after(Program& program, const std::string& computed, Instruction step) const {
    program.insert(find(program, Op::compute, computed) + 1, step);
  }

  /// The step with relu1 in storage while nobody reads it.
  Program paged() const {
    Program program = step_.keep_all();
    insert_after(program, "fc2", {.op = Op::free, .node = index("relu1")});
    insert_after(program, "fc2", {.op = Op::page_out, .node = index("relu1")});
    insert_after(program, "loss", {.op = Op::page_in, .node = index("relu1")});
    return program;
  }

  ExecutedStep step_ = builtin_step("linear");
};

TEST_F(ExecutorMistake, NoneIfATensorIsPaged) {
  EXPECT_EQ(step_.fault(paged()), "");
}

TEST_F(ExecutorMistake, APageInIsMissing) {
  Program program = paged();
  program.erase(find(program, Op::page_in, "relu1"));
  EXPECT_THAT(step_.fault(program), HasSubstr("compute gradw(fc2): relu1 is not in RAM"));
}

TEST_F(ExecutorMistake, APageOutIsMissing) {
  Program program = paged();
  program.erase(find(program, Op::page_out, "relu1"));
  EXPECT_THAT(step_.fault(program), HasSubstr("page in relu1: there is no copy of it in storage"));
}

TEST_F(ExecutorMistake, APageOutComesAfterTheFree) {
  Program program = paged();
  const auto page_out = find(program, Op::page_out, "relu1");
  std::iter_swap(page_out, page_out + 1);
  EXPECT_THAT(step_.fault(program), HasSubstr("page out relu1: relu1 is not in RAM"));
}

TEST_F(ExecutorMistake, AFreeComesTwice) {
  Program program = step_.keep_all();
  for (int i = 0; i < 2; ++i) program.push_back({.op = Op::free, .node = index("relu1")});
  EXPECT_THAT(step_.fault(program), HasSubstr("free relu1: relu1 is not in RAM"));
}

// In this program every free follows the last computation that reads the tensor.
TEST_F(ExecutorMistake, AnyFreeIsTooEarly) {
  const Program program = step_.keep_needed();
  int tried = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].op != Op::free) continue;
    const std::string& name = step_.model.nodes[program[i].node].name;
    std::size_t reader = i;
    while (program[reader].op != Op::compute) --reader;
    const std::string& reading = step_.model.nodes[program[reader].node].name;
    const std::vector<std::string>& reads = step_.formulas.at(reading).reads;
    if (std::find(reads.begin(), reads.end(), name) == reads.end()) continue;
    Program early = program;
    std::rotate(early.begin() + static_cast<std::ptrdiff_t>(reader),
                early.begin() + static_cast<std::ptrdiff_t>(i),
                early.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    EXPECT_THAT(step_.fault(early),
                HasSubstr(fmt::format("compute {}: {} is not in RAM", reading, name)));
    ++tried;
  }
  EXPECT_GT(tried, 10);
}

TEST_F(ExecutorMistake, AGradientIsRecomputedAfterTheUpdateOfItsParameters) {
  Program program = step_.keep_all();
  const Instruction again = {.op = Op::compute, .node = index("grad(relu1)")};
  insert_after(program, "grad(relu1)", again);
  EXPECT_EQ(step_.fault(program), "");
  insert_after(program, "gradw(fc2)", again);
  EXPECT_EQ(step_.fault(program), "computation 3 of grad(relu1) gives another value");
}

TEST_F(ExecutorMistake, ALayerIsRecomputedAfterTheUpdateOfItsParameters) {
  Program program = step_.keep_all();
  insert_after(program, "gradw(fc2)", {.op = Op::compute, .node = index("fc2")});
  EXPECT_EQ(step_.fault(program), "computation 2 of fc2 gives another value");
}

TEST_F(ExecutorMistake, ParametersAreUpdatedTwice) {
  Program program = step_.keep_all();
  insert_after(program, "gradw(fc2)", {.op = Op::compute, .node = index("gradw(fc2)")});
  EXPECT_EQ(step_.fault(program), "the parameters fc2 are others after the step");
}

TEST_F(ExecutorMistake, TheSampleIsTakenTwice) {
  Program program = step_.keep_all();
  insert_after(program, "input", {.op = Op::compute, .node = index("input")});
  EXPECT_EQ(step_.fault(program), "computation 2 of input gives another value");
}

TEST_F(ExecutorMistake, ANodeIsLeftOut) {
  Program program = step_.keep_all();
  program.erase(find(program, Op::compute, "gradw(fc1)"));
  EXPECT_EQ(step_.fault(program), "gradw(fc1) is never computed");
}

// `gate` is not read again: the gradient of a rectifier needs its output. `a` is.
TEST_F(ExecutorMistake, ATensorThatIsStillNeededIsOverwritten) {
  step_ = gated_step();
  Program program = step_.keep_all();
  find(program, Op::compute, "relu")->over = index("gate");
  EXPECT_EQ(step_.fault(program), "");
  find(program, Op::compute, "gelu")->over = index("a");
  EXPECT_THAT(step_.fault(program), HasSubstr("compute gate: a is not in RAM"));
}

TEST_F(ExecutorMistake, AProductIsComputedOverItsInput) {
  Program program = step_.keep_all();
  find(program, Op::compute, "fc2")->over = index("relu1");
  EXPECT_THAT(step_.fault(program), HasSubstr("it may not be computed over relu1"));
}

// A graph without the edge frees the tensor too early.
TEST_F(ExecutorMistake, TheEdgeToTheLastReaderIsMissing) {
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
      EXPECT_THAT(
          step.fault(step.keep_needed()),
          HasSubstr(fmt::format("compute {}: {} is not in RAM", whole.model.nodes[reader].name,
                                whole.model.nodes[node].name)));
      ++tried;
    }
    EXPECT_GT(tried, 10) << name;
  }
}

}  // namespace
}  // namespace poet::test
