// Schedules of training steps, executed: whatever is recomputed, paged, freed or overwritten, each
// computation has to give the value that the definition of the step gives it. What a gradient reads
// comes from tests/support/step_formulas.cpp and not from the graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "report/fields.hpp"
#include "support/cases.hpp"
#include "support/executed_step.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

/// The built-in models, those with a short step first.
std::vector<std::string> all_models() {
  std::vector<std::string> names = {"linear", "ds_cnn", "vgg16_cifar", "resnet18_cifar"};
  const std::set<std::string> first(names.begin(), names.end());
  for (const std::string& name : builtin_models()) {
    if (!first.contains(name)) names.push_back(name);
  }
  return names;
}

class BuiltInStep : public testing::TestWithParam<std::string> {};

TEST_P(BuiltInStep, HasTheFormulasOfItsLayers) {
  const ExecutedStep step = builtin_step(GetParam());
  EXPECT_EQ(step.formulas.size(), step.model.nodes.size());
  for (const ModelNode& node : step.model.nodes) {
    SCOPED_TRACE(node.name);
    ASSERT_TRUE(step.formulas.contains(node.name));
    const Formula& formula = step.formulas.at(node.name);
    std::set<std::string> inputs;
    for (const int input : node.inputs) inputs.insert(step.model.nodes[input].name);
    // In the graph a loss stands for its own gradient, which is 1 and no tensor.
    if (node.backward) inputs.erase("loss");
    EXPECT_EQ(inputs, std::set<std::string>(formula.reads.begin(), formula.reads.end()));
    EXPECT_EQ(node.reads_parameters, formula.reads_parameters);
    EXPECT_EQ(node.writes_parameters, formula.writes_parameters);
    if (!node.in_place) continue;
    const std::string& over = step.model.nodes[*node.in_place].name;
    EXPECT_NE(std::find(formula.over.begin(), formula.over.end(), over), formula.over.end())
        << over;
  }
}

// The graph's order changes parameters on the way: nothing may read them afterwards.
TEST_P(BuiltInStep, IsTheStepOfTheDefinitionIfEverythingIsKept) {
  const ExecutedStep step = builtin_step(GetParam());
  EXPECT_EQ(step.fault(step.keep_all()), "");
  EXPECT_EQ(step.fault(step.keep_needed()), "");
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, BuiltInStep, testing::ValuesIn(all_models()),
                         [](const auto& instance) { return instance.param; });

/// A schedule for this share of the way from the working set to all tensors, found quickly: it
/// takes no proof to be executed.
SolveResult quick_schedule(const ExecutedStep& step, double share, PagingTime paging_time) {
  const Baseline base = baseline(step.graph);
  const Bytes least = working_set(step.graph).bytes;
  const auto more = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes - least));
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.gap = 0.5;
  options.settings.time_limit_seconds = 60;
  return solve({.graph = step.graph,
                .limits = {.ram_budget_bytes = least + more,
                           .runtime_budget_seconds = 3 * base.runtime_seconds,
                           .paging_time = paging_time}},
               options);
}

int count(const std::vector<Instruction>& program, Instruction::Op op) {
  return static_cast<int>(std::count_if(program.begin(), program.end(),
                                        [&](const Instruction& step) { return step.op == op; }));
}

int takes_over(const std::vector<Instruction>& program) {
  return static_cast<int>(
      std::count_if(program.begin(), program.end(),
                    [](const Instruction& step) { return step.over.has_value(); }));
}

/// Returns whether there is a schedule at all.
bool execute_solved(const std::string& model, const ExecutedStep& step, double share,
                    PagingTime paging_time) {
  SCOPED_TRACE(fmt::format("{} at {}", model, share));
  const SolveResult result = quick_schedule(step, share, paging_time);
  fmt::print("{:20} {:4} {:10}  {:10}", model, share, name_of(paging_time),
             status_name(result.status));
  if (!result.schedule) {
    fmt::print(" {}\n", result.reason);
    return false;
  }
  const std::vector<Instruction> program = to_program(step.graph, *result.schedule, paging_time);
  fmt::print(" {:4} recomputations, {:3} page-ins, {:3} in place, {:.1f} s\n",
             count(program, Instruction::Op::compute) - step.graph.size(),
             count(program, Instruction::Op::page_in), takes_over(program),
             result.statistics.wall_seconds);
  EXPECT_EQ(step.fault(program), "");
  return true;
}

constexpr int kUsualModels = 4;
constexpr std::array kShares = {0.02, 0.2, 0.4, 0.6, 0.8};

// POET_CASES=17 solves all models, in minutes; POET_SEED=n starts with model n.
TEST(ExecutedSchedules, GiveTheStepOfTheDefinition) {
  const std::vector<std::string> models = all_models();
  const CaseRange range = wanted_cases(kUsualModels);
  const int last = std::min(range.first + range.count, static_cast<int>(models.size()));
  for (int i = range.first; i < last; ++i) {
    const ExecutedStep step = builtin_step(models[i]);
    int found = 0;
    for (const double share : kShares) {
      found += execute_solved(models[i], step, share, PagingTime::blocking) ? 1 : 0;
    }
    // Only the tightest budgets may have none.
    EXPECT_GE(found, static_cast<int>(kShares.size()) - 2) << models[i];
    EXPECT_TRUE(execute_solved(models[i], step, 0.5, PagingTime::overlapped)) << models[i];
  }
}

/// Takes a node out of a list of a stage, or puts it there.
void change(Random& random, Schedule& schedule) {
  const int last = static_cast<int>(schedule.stages.size()) - 1;
  Stage& stage = schedule.stages[draw(random, 0, last)];
  const std::array<std::vector<int>*, 4> lists = {&stage.resident, &stage.compute, &stage.page_out,
                                                  &stage.page_in};
  std::vector<int>& list = *lists[draw(random, 0, 3)];
  const int node = draw(random, 0, last);
  const auto place = std::lower_bound(list.begin(), list.end(), node);
  if (place != list.end() && *place == node) {
    list.erase(place);
  } else {
    list.insert(place, node);
  }
}

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
  seen.recomputing += count(program, Instruction::Op::compute) > step.graph.size() ? 1 : 0;
  seen.paging += count(program, Instruction::Op::page_in) > 0 ? 1 : 0;
  seen.in_place += takes_over(program) > 0 ? 1 : 0;
}

/// Draws a schedule, and then changes it at random as long as it stays valid.
void execute_random(const ExecutedStep& step, int number, Seen& seen) {
  SCOPED_TRACE(fmt::format("case {}", number));
  Random random(static_cast<std::uint64_t>(number));
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
    change(random, other);
    if (!simulate(step.graph, other, limits).valid()) continue;
    schedule = std::move(other);
    execute_valid(step, schedule, limits.paging_time, seen);
    ++seen.changed;
  }
}

TEST(ExecutedSchedules, GiveTheStepWhereverTheSimulatorAcceptsThem) {
  const std::array steps = {gated_step(), builtin_step("linear")};
  Seen seen;
  const CaseRange range = wanted_cases(400);
  for (int i = range.first; i < range.first + range.count; ++i) {
    execute_random(steps[static_cast<std::size_t>(i) % steps.size()], i, seen);
  }
  fmt::print("{} schedules and {} changed ones; {} recompute, {} page, {} take over\n", seen.drawn,
             seen.changed, seen.recomputing, seen.paging, seen.in_place);
  EXPECT_EQ(seen.drawn, range.count);
  EXPECT_GT(seen.changed, range.count / 4);
  EXPECT_GT(seen.recomputing, range.count / 2);
  EXPECT_GT(seen.paging, range.count / 8);
  EXPECT_GT(seen.in_place, range.count / 2);
}

}  // namespace
}  // namespace poet::test
