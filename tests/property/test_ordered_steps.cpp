// A training step in other orders of its nodes: every legal order has to give the bits of the given
// one, through a schedule file, whatever is recomputed and paged on the way. An order that is not
// legal does not, which shows that the comparison can fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "execute/run_schedule.hpp"
#include "execute/scheduled_step.hpp"
#include "expect_input_error.hpp"
#include "runs/load_step.hpp"
#include "step/permute_step.hpp"
#include "support/cases.hpp"
#include "support/ordered_schedule.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/random_orders.hpp"
#include "support/small_models.hpp"
#include "support/temporary_folder.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kSeed = 7;
constexpr int kSteps = 2;

/// The bits, as neither zero has the other's and NaN is no number.
bool same_floats(const std::vector<float>& a, const std::vector<float>& b) {
  const auto same_bits = [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_bits);
}

/// The state after each step.
using Trained = std::vector<TrainingState>;

/// The first number that is not the same; empty if all have the same bits.
std::string difference(const TrainingStep& step, const Trained& a, const Trained& b) {
  for (std::size_t s = 0; s < a.size(); ++s) {
    if (!same_floats(a[s].losses, b[s].losses)) return fmt::format("a loss of step {}", s);
    for (std::size_t p = 0; p < step.parameters.size(); ++p) {
      const auto differs = [&](auto member) {
        return !same_floats((a[s].*member)[p], (b[s].*member)[p]);
      };
      const std::string& name = step.parameters[p].name;
      if (differs(&TrainingState::gradients))
        return fmt::format("gradient of {} in step {}", name, s);
      if (differs(&TrainingState::parameters)) return fmt::format("{} after step {}", name, s);
      if (differs(&TrainingState::first)) return fmt::format("momentum of {}, step {}", name, s);
      if (differs(&TrainingState::second)) return fmt::format("scale of {}, step {}", name, s);
    }
  }
  return "";
}

Trained trained_unscheduled(TrainingStep step) {
  TrainingState state = initial_state(step, kSeed);
  Trained trained;
  for (int number = 0; number < kSteps; ++number) {
    seed_dropout(step, kSeed, number);
    compute_unscheduled(step, state);
    trained.push_back(state);
  }
  return trained;
}

Trained trained_by(TrainingStep step, const ScheduleFile& file) {
  expect_graph_of(step, file.graph, file.model.alignment);
  ScheduledStep scheduled(step, file.graph, file.program, file.model.alignment, true,
                          file.request.limits.paging_time);
  PageFile pages("");
  TrainingState state = initial_state(step, kSeed);
  Trained trained;
  for (int number = 0; number < kSteps; ++number) {
    seed_dropout(step, kSeed, number);
    scheduled.run(state, pages);
    trained.push_back(state);
  }
  return trained;
}

/// A model in the given order, on a platform.
struct Given {
  std::string path;
  Model model;
  Platform platform = load_platform("m4");
  Graph graph;
  TrainingStep step;

  explicit Given(const std::string& name_or_path)
      : path(name_or_path),
        model(load_model(path, 1, Backward::exact)),
        graph(cost_graph(model, &platform)) {
    step = load_step(path, in_order({}, [](const Graph& each) { return baseline(each).schedule; }));
  }

  /// A schedule file as a solve writes it, read again.
  ScheduleFile in_order(const NodeOrder& order, const auto& schedule_of) const {
    return parse_schedule_file(to_json(ordered_file(model, platform, order, schedule_of)),
                               "schedule.json");
  }
};

/// How much of what schedules can do has been run.
struct Done {
  int orders = 0;
  int recomputed = 0;
  int paged_in = 0;
};

void expect_bits_of_given(const Given& given, const Trained& expected, const NodeOrder& order,
                          const auto& schedule_of, Done& done) {
  const ScheduleFile file = given.in_order(order, schedule_of);
  EXPECT_THAT(verify_schedule_file(file), testing::IsEmpty());
  const TrainingStep step = load_step(given.path, file);
  ASSERT_EQ(step.order, file.model.order);
  EXPECT_EQ(difference(step, trained_by(step, file), expected), "");
  done.orders += file.model.order.empty() ? 0 : 1;
  done.recomputed += file.summary.recompute_count;
  done.paged_in += file.summary.page_in_count;
}

std::vector<SmallModel> trained_models() {
  std::vector<SmallModel> models;
  for (SmallModel& model : small_models()) {
    if (model.layers.find("custom") != std::string::npos) continue;  // has no kernels
    models.push_back(model);
    for (const char* const optimizer : {"momentum", "adam"}) {
      models.push_back({fmt::format("{}_{}", model.name, optimizer),
                        fmt::format(R"("optimizer": "{}", {})", optimizer, model.inputs),
                        model.layers});
    }
  }
  // Weights that three layers share, several losses, dropped elements, and inputs of different
  // uses.
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    models.push_back({fmt::format("shared_{}", update),
                      fmt::format(R"("update": "{}", "optimizer": "adam",
      "inputs": {{"x": {{"shape": [3, 6]}}, "y": {{"shape": [3, 6]}}, "want": {{"shape": [3, 6]}},
                 "class": {{"shape": [3], "dtype": "int32"}}}},)",
                                  update),
                      R"(
      {"name": "a", "op": "linear", "inputs": ["x"], "out_features": 6},
      {"name": "b", "op": "linear", "inputs": ["y"], "out_features": 6, "weights": "a"},
      {"name": "drop", "op": "dropout", "inputs": ["a"]},
      {"name": "rest", "op": "sub", "inputs": ["drop", "b"]},
      {"name": "norm", "op": "layer_norm", "inputs": ["rest"]},
      {"name": "c", "op": "linear", "inputs": ["norm"], "out_features": 6, "weights": "a"},
      {"name": "drop2", "op": "dropout", "inputs": ["c"]},
      {"name": "sum", "op": "add", "inputs": ["drop2", "norm"]},
      {"name": "far", "op": "mse", "inputs": ["sum"], "target": "want"},
      {"name": "near", "op": "cross_entropy", "inputs": ["norm"], "classes": 6, "target": "class"},
      {"name": "own", "op": "mse", "inputs": ["rest"]},
      {"name": "last", "op": "cross_entropy", "inputs": ["c"], "classes": 6})"});
  }
  return models;
}

class OrderedSteps : public testing::TestWithParam<SmallModel> {};

TEST_P(OrderedSteps, HaveTheBitsOfTheGivenOrder) {
  const TemporaryFolder folder;
  const Given given(folder.write("model.json", text_of(GetParam())));
  const Trained expected = trained_unscheduled(given.step);
  Done done;
  const int cases = for_cases(5, [&](int number) {
    Twister random(static_cast<std::uint64_t>(number) + 1);
    constexpr Habits kHabits{.drop = 60, .page_out = 50, .page_in = 40};
    expect_bits_of_given(
        given, expected, random_order(random, given.model),
        [&](const Graph& graph) { return ExactScheduler(random, graph, kHabits).run(); }, done);
  });
  EXPECT_EQ(done.orders, cases);
  EXPECT_GT(done.recomputed, cases);
  EXPECT_GT(done.paged_in, cases);
}

INSTANTIATE_TEST_SUITE_P(Models, OrderedSteps, testing::ValuesIn(trained_models()),
                         [](const auto& instance) { return instance.param.name; });

/// For an order that is wrong though its file does not show it: the model does, and so do the bits.
void expect_refused_and_other_bits(const Given& given, const NodeOrder& order,
                                   const std::string& error) {
  ASSERT_TRUE(is_legal(given.graph, precedence(given.graph), order));
  ASSERT_FALSE(is_legal(given.graph, precedence(given.model), order));
  const ScheduleFile file =
      given.in_order(order, [](const Graph& graph) { return baseline(graph).schedule; });
  EXPECT_THAT(verify_schedule_file(file), testing::IsEmpty());
  EXPECT_THAT(input_error([&] { load_step(given.path, file); }), HasSubstr(error));
  const TrainingStep forced = permuted(given.step, order);
  EXPECT_NE(difference(forced, trained_by(forced, file), trained_unscheduled(given.step)), "");
}

/// The nodes that add to the kept gradient of these parameters.
std::vector<int> additions(const Model& model, const std::string& parameters) {
  std::vector<int> nodes;
  for (std::size_t k = 0; k < model.nodes.size(); ++k) {
    const std::vector<std::string>& names = model.nodes[k].adds_to;
    if (std::find(names.begin(), names.end(), parameters) != names.end()) {
      nodes.push_back(static_cast<int>(k));
    }
  }
  return nodes;
}

TEST(IllegalOrders, AreRefusedAndGiveOtherBits) {
  const TemporaryFolder folder;
  std::string text;
  for (const SmallModel& model : trained_models()) {
    if (model.name == "shared_accumulate") text = text_of(model);
  }
  ASSERT_NE(text, "");
  const Given given(folder.write("model.json", text));
  const std::vector<int> adds = additions(given.model, "a");
  ASSERT_EQ(adds.size(), 3U);
  const auto name = [&](int node) { return given.model.nodes[node].name; };
  NodeOrder order;
  for (int k = 0; k < given.graph.size(); ++k) order.push_back(k);
  const auto update =
      std::find_if(order.begin(), order.end(), [&](int k) { return name(k) == "update(a)"; });
  ASSERT_NE(update, order.end());

  // The update before the last addition, which comes after all that reads the weights.
  NodeOrder early = order;
  early.erase(std::find(early.begin(), early.end(), adds.back()));
  early.push_back(adds.back());
  expect_refused_and_other_bits(
      given, early,
      fmt::format("the schedule's order of the nodes is not legal for this model: node {} "
                  "('update(a)') comes before node {} ('{}')",
                  *update, adds.back(), name(adds.back())));

  // The first two additions the other way round.
  NodeOrder exchanged = order;
  exchanged.erase(std::find(exchanged.begin(), exchanged.end(), adds[0]));
  exchanged.insert(std::find(exchanged.begin(), exchanged.end(), adds[1]) + 1, adds[0]);
  expect_refused_and_other_bits(given, exchanged,
                                fmt::format("node {} ('{}') comes before node {} ('{}')", adds[1],
                                            name(adds[1]), adds[0], name(adds[0])));
}

}  // namespace
}  // namespace poet::test
