// Every op, executed: small models with all ops of model files, each with all kinds of updates.
// Random schedules recompute, page and overwrite whatever the simulator allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/op.hpp"
#include "support/cases.hpp"
#include "support/copied_layers.hpp"
#include "support/executed_step.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/small_models.hpp"

namespace poet::test {
namespace {

/// How many schedules were executed, and what their programs did.
struct Seen {
  int drawn = 0;
  int changed = 0;
  int recomputing = 0;
  int paging = 0;
  int in_place = 0;
};

void execute_valid(const ExecutedStep& step, const Schedule& schedule, PagingTime paging_time,
                   Seen& seen) {
  const std::vector<Instruction> program = to_program(step.graph, schedule, paging_time);
  ASSERT_EQ(step.fault(program), "");
  seen.recomputing += count_of(program, Instruction::Op::compute) > step.graph.size() ? 1 : 0;
  seen.paging += count_of(program, Instruction::Op::page_in) > 0 ? 1 : 0;
  seen.in_place += takes_over(program) > 0 ? 1 : 0;
}

/// Draws a schedule, and then changes it at random as long as it stays valid.
void execute_random(const ExecutedStep& step, int number, Seen& seen) {
  SCOPED_TRACE(fmt::format("case {}", number));
  Twister random(static_cast<std::uint64_t>(number));
  constexpr std::array kHabits = {Habits{.drop = 40}, Habits{.drop = 70},
                                  Habits{.drop = 40, .page_out = 30, .page_in = 50},
                                  Habits{.drop = 70, .page_out = 60, .page_in = 30}};
  const Habits habits = pick(random, kHabits);
  Schedule schedule = ExactScheduler(random, step.graph, habits).run();
  const Limits limits = {.ram_budget_bytes = Bytes{1} << 50,
                         .runtime_budget_seconds = 1e9,
                         .paging_time = static_cast<PagingTime>(draw(random, 0, 2))};
  ASSERT_TRUE(simulate(step.graph, schedule, limits).valid());
  execute_valid(step, schedule, limits.paging_time, seen);
  ++seen.drawn;
  for (int tries = 0; tries < 20; ++tries) {
    Schedule other = schedule;
    edit(random, other);
    if (!simulate(step.graph, other, limits).valid()) continue;
    schedule = std::move(other);
    execute_valid(step, schedule, limits.paging_time, seen);
    ++seen.changed;
  }
}

class SmallStep : public testing::TestWithParam<SmallModel> {};

TEST_P(SmallStep, HasTheFormulasOfItsLayers) {
  EXPECT_EQ(file_step(text_of(GetParam())).graph_fault(), "");
}

TEST_P(SmallStep, IsTheStepOfTheDefinitionIfEverythingIsKept) {
  const ExecutedStep step = file_step(text_of(GetParam()));
  EXPECT_EQ(step.fault(step.keep_all()), "");
  EXPECT_EQ(step.fault(step.keep_needed()), "");
}

TEST_P(SmallStep, IsThatOfTheDefinitionWhereverTheSimulatorAcceptsTheSchedule) {
  const ExecutedStep step = file_step(text_of(GetParam()));
  Seen seen;
  const int cases = for_cases(20, [&](int i) { execute_random(step, i, seen); });
  fmt::print("{} schedules and {} changed ones; {} recompute, {} page, {} take over\n", seen.drawn,
             seen.changed, seen.recomputing, seen.paging, seen.in_place);
  EXPECT_EQ(seen.drawn, cases);
  EXPECT_GT(seen.changed, cases / 4);
  EXPECT_GT(seen.recomputing, cases / 2);
  EXPECT_GT(seen.paging, cases / 8);
  EXPECT_GT(seen.in_place, cases / 2);
}

// Copies are made again, paged and kept as any other tensor.
TEST_P(SmallStep, IsThatOfTheDefinitionWithCopiedParameters) {
  Seen seen;
  int cases = 0;
  for (const std::size_t from : {0U, 1U}) {
    const ExecutedStep step = file_step(with_copies(text_of(GetParam()), from).dump());
    ASSERT_EQ(step.graph_fault(), "");
    EXPECT_GT(std::count_if(step.model.nodes.begin(), step.model.nodes.end(),
                            [](const ModelNode& node) { return node.op == "copy"; }),
              0);
    EXPECT_EQ(step.fault(step.keep_needed()), "");
    cases += for_cases(4, [&](int i) { execute_random(step, i, seen); });
  }
  EXPECT_EQ(seen.drawn, cases);
  EXPECT_GT(seen.recomputing, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, SmallStep, testing::ValuesIn(small_models()),
                         [](const auto& instance) { return instance.param.name; });

TEST(SmallSteps, HaveEveryOp) {
  std::set<std::string> ops;
  const auto add_ops = [&](const nlohmann::json& file) {
    for (const auto& layer : file.at("layers")) ops.insert(layer.at("op"));
  };
  for (const SmallModel& model : small_models()) add_ops(nlohmann::json::parse(text_of(model)));
  std::ifstream transformer(POET_SOURCE_DIR "/models/transformer.json");
  add_ops(nlohmann::json::parse(transformer));
  for (const OpRule& rule : op_rules()) EXPECT_TRUE(ops.contains(std::string(rule.name)));
}

}  // namespace
}  // namespace poet::test
