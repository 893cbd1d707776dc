// Schedules of training steps, executed: whatever is recomputed, paged, freed or overwritten, each
// computation has to give the value that the definition of the step gives it. What a gradient reads
// comes from tests/support/step_formulas.cpp and not from the graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "poet/solve.hpp"
#include "report/fields.hpp"
#include "support/cases.hpp"
#include "support/executed_step.hpp"

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
  EXPECT_EQ(builtin_step(GetParam()).graph_fault(), "");
}

// The graph's order changes parameters on the way: nothing may read them afterwards.
TEST_P(BuiltInStep, IsTheStepOfTheDefinitionIfEverythingIsKept) {
  const ExecutedStep step = builtin_step(GetParam());
  EXPECT_EQ(step.fault(step.keep_all()), "");
  EXPECT_EQ(step.fault(step.keep_needed()), "");
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, BuiltInStep, testing::ValuesIn(all_models()),
                         [](const auto& instance) { return instance.param; });

/// POET_SECONDS gives each solve time for a better schedule.
Seconds search_seconds() {
  const char* const text = std::getenv("POET_SECONDS");
  return text == nullptr ? 0 : std::strtod(text, nullptr);
}

/// A schedule for this share of the way from the working set to all tensors. It takes no proof to
/// be executed, so the first one will do.
SolveResult find_schedule(const ExecutedStep& step, double share, PagingTime paging_time) {
  const Baseline base = baseline(step.graph);
  const Bytes least = working_set(step.graph).bytes;
  const auto more = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes - least));
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.gap = 0.5;
  options.settings.time_limit_seconds = 60;
  if (const Seconds seconds = search_seconds(); seconds > 0) {
    options.settings = {.time_limit_seconds = seconds};
  }
  return solve({.graph = step.graph,
                .limits = {.ram_budget_bytes = least + more,
                           .runtime_budget_seconds = 3 * base.runtime_seconds,
                           .paging_time = paging_time}},
               options);
}

/// Returns whether there is a schedule at all.
bool execute_solved(const std::string& model, const ExecutedStep& step, double share,
                    PagingTime paging_time) {
  SCOPED_TRACE(fmt::format("{} at {}", model, share));
  const SolveResult result = find_schedule(step, share, paging_time);
  fmt::print("{:20} {:4} {:10}  {:10}", model, share, name_of(paging_time),
             status_name(result.status));
  if (!result.schedule) {
    fmt::print(" {}\n", result.reason);
    return false;
  }
  const std::vector<Instruction> program = to_program(step.graph, *result.schedule, paging_time);
  fmt::print(" {:4} recomputations, {:3} page-ins, {:3} in place, {:.1f} s\n",
             count_of(program, Instruction::Op::compute) - step.graph.size(),
             count_of(program, Instruction::Op::page_in), takes_over(program),
             result.statistics.wall_seconds);
  EXPECT_EQ(step.fault(program), "");
  return true;
}

constexpr int kUsualModels = 4;
constexpr std::array kShares = {0.02, 0.2, 0.4, 0.6, 0.8};

// POET_CASES=17 solves all models, in two minutes; POET_SEED=n starts with model n.
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
    EXPECT_EQ(found, static_cast<int>(kShares.size())) << models[i];
    // At this budget `transformer` has none: its input would have to come back while the node that
    // needs all of the working set is computed.
    EXPECT_NE(execute_solved(models[i], step, 0.5, PagingTime::overlapped),
              models[i] == "transformer");
  }
}

}  // namespace
}  // namespace poet::test
