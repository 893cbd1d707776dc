// Times that follow from a platform give that platform back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "expect_input_error.hpp"
#include "formats/read_inputs.hpp"
#include "formats/write_inputs.hpp"
#include "measure/fit_intervals.hpp"
#include "measure/fit_platform.hpp"
#include "measure/fit_step.hpp"
#include "poet/simulate.hpp"
#include "support/bound_step.hpp"
#include "support/exact_model.hpp"
#include "support/random_orders.hpp"

namespace poet::test {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

using Op = Instruction::Op;

/// A model on one platform, and the times of a board that is another one.
class Fits : public testing::Test {
 protected:
  /// The times of a program that pages everything once, as a graph predicts them.
  static InstructionTimes times_of(const Graph& graph, const std::vector<Instruction>& program) {
    InstructionTimes times(program.size());
    for (std::size_t at = 0; at < program.size(); ++at) {
      const Node& node = graph.nodes[static_cast<std::size_t>(program[at].node)];
      switch (program[at].op) {
        case Op::compute:
          times[at] = {node.runtime_seconds};
          break;
        case Op::page_in:
          times[at] = {node.page_in_seconds};
          break;
        case Op::page_out:
          times[at] = {node.page_out_seconds};
          break;
        case Op::free:
        case Op::move:
          break;
      }
    }
    return times;
  }

  /// Every node once, and three tensors of different sizes out and in.
  std::vector<Instruction> program() const {
    std::vector<Instruction> all = to_program(graph_, baseline(graph_).schedule);
    for (const char* const name : {"a", "b", "input"}) {
      all.push_back({.op = Op::page_out, .node = index_of(model_, name)});
      all.push_back({.op = Op::page_in, .node = index_of(model_, name)});
    }
    return all;
  }

  StepFit fit(const InstructionTimes& times) const {
    return fit_step({.model = model_, .graph = graph_, .program = program_, .times = times}, m4_);
  }

  /// A board with rates of its own for some ops.
  static Platform board() {
    Platform board = load_platform("stm32h743");
    board.element_bytes = 4;
    board.block_bytes.reset();
    board.memory_bytes_per_second = 3e9;
    board.ops = {{"linear", {.flops_per_second = 5e7}},
                 {"linear_gradw", {.flops_per_second = 3e7}},
                 {"cross_entropy_grad", {.flops_per_second = 1e6}}};
    return board;
  }

  Model model_ = exact_model("[3, 6]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 70},
      {"name": "r", "op": "relu", "inputs": ["a"]},
      {"name": "b", "op": "linear", "inputs": ["r"], "out_features": 5},
      {"name": "loss", "op": "cross_entropy", "inputs": ["b"], "classes": 5})");
  Platform m4_ = load_platform("m4");
  Graph graph_ = cost_graph(model_, &m4_);
  std::vector<Instruction> program_ = program();
};

TEST_F(Fits, GiveBackThePlatformThatTheTimesFollowFrom) {
  const Platform board = Fits::board();
  const Graph truth = cost_graph(model_, &board);
  const StepFit found = fit(times_of(truth, program_));
  const Graph again = cost_graph(model_, &found.platform);
  for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
    const Node& wanted = truth.nodes[i];
    EXPECT_NEAR(again.nodes[i].runtime_seconds, wanted.runtime_seconds,
                1e-9 * wanted.runtime_seconds)
        << wanted.name;
    EXPECT_NEAR(again.nodes[i].page_in_seconds, wanted.page_in_seconds,
                1e-6 * wanted.page_in_seconds);
    EXPECT_NEAR(again.nodes[i].page_out_seconds, wanted.page_out_seconds,
                1e-6 * wanted.page_out_seconds);
  }
  EXPECT_TRUE(found.has_page_in);
  EXPECT_EQ(found.platform.ram_bytes, m4_.ram_bytes);
  EXPECT_THAT(total(found.residuals).largest_error, DoubleNear(0, 1e-9));
}

// The power of the schedule's platform is that of its ops: times twice as long take twice the
// energy.
TEST_F(Fits, TakeEnergiesFromThePowersOfThePlatform) {
  InstructionTimes times = times_of(graph_, program_);
  for (std::vector<Seconds>& each : times) {
    for (Seconds& seconds : each) seconds *= 2;
  }
  const StepFit found = fit(times);
  const Graph again = cost_graph(model_, &found.platform);
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    EXPECT_NEAR(again.nodes[i].energy_joules, 2 * node.energy_joules, 1e-9 * node.energy_joules);
    EXPECT_NEAR(found.model.nodes[i].costs.energy_joules, 2 * node.energy_joules,
                1e-9 * node.energy_joules);
    EXPECT_NEAR(again.nodes[i].page_in_energy_joules, 2 * node.page_in_energy_joules,
                1e-6 * node.page_in_energy_joules);
  }
}

// It moves more bytes than any other node that does not compute, and from slower memory.
TEST_F(Fits, TakeNoBandwidthOfRamFromACopyOutOfFlash) {
  model_ = exact_model("[3, 6]", R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 70},
      {"name": "b", "op": "linear", "inputs": ["a"], "out_features": 60, "trainable": false,
       "frozen_parameters": "copied"},
      {"name": "loss", "op": "cross_entropy", "inputs": ["b"], "classes": 60})");
  graph_ = cost_graph(model_, &m4_);
  program_ = program();
  Platform board = Fits::board();
  ASSERT_TRUE(board.flash_bytes);
  board.flash_bytes_per_second = 1e6;
  const Graph truth = cost_graph(model_, &board);
  EXPECT_DOUBLE_EQ(truth.nodes[index_of(model_, "copy(b)")].runtime_seconds, 4 * 71 * 60 / 1e6);
  const StepFit found = fit(times_of(truth, program_));
  ASSERT_TRUE(found.platform.memory_bytes_per_second);
  EXPECT_NEAR(*found.platform.memory_bytes_per_second, 3e9, 1);
}

TEST(Spreads, AreQuartilesOrTheEndsOfFewerThanFour) {
  const Spread some = spread({8, 1, 2, 4, 3});
  EXPECT_DOUBLE_EQ(some.least, 2);
  EXPECT_DOUBLE_EQ(some.most, 4);
  const Spread between = spread({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(between.least, 1.75);
  EXPECT_DOUBLE_EQ(between.most, 3.25);
  EXPECT_DOUBLE_EQ(spread({5, 3}).least, 3);
  EXPECT_DOUBLE_EQ(spread({5, 3}).most, 5);
}

TEST_F(Fits, StateBetweenWhichEndsTheirRatesLie) {
  InstructionTimes times = times_of(graph_, program_);
  for (std::vector<Seconds>& each : times) {
    if (!each.empty()) each = {each[0] * 0.5, each[0] * 0.8, each[0], each[0] * 2, each[0] * 9};
  }
  StepFit found = fit(times);
  add_intervals(found.platform, model_, graph_, program_, times, "test", "m4");
  const Platform again = parse_platform(platform_json(found.platform), "fitted.json");
  EXPECT_EQ(again.standing, Standing::measured);
  ASSERT_EQ(again.intervals, found.platform.intervals);
  ASSERT_FALSE(again.intervals.empty());
  for (const FigureInterval& each : again.intervals) {
    EXPECT_FALSE(is_energy_figure(each.figure));
    EXPECT_NEAR(each.low, m4_.flops_per_second / 2, 1) << each.figure;
    EXPECT_NEAR(each.high, m4_.flops_per_second / 0.8, 1) << each.figure;
  }
}

TEST_F(Fits, StateNoIntervalIfAllTimesAreAlike) {
  const InstructionTimes times = times_of(graph_, program_);
  StepFit found = fit(times);
  add_intervals(found.platform, model_, graph_, program_, times, "test", "m4");
  EXPECT_TRUE(found.platform.intervals.empty());
}

TEST_F(Fits, KeepTheCostsOfTransfersThatWereNotMeasured) {
  program_ = to_program(graph_, baseline(graph_).schedule);
  const StepFit found = fit(times_of(graph_, program_));
  EXPECT_FALSE(found.has_page_in);
  EXPECT_FALSE(found.has_page_out);
  EXPECT_NEAR(found.platform.page_in.latency_seconds, m4_.page_in.latency_seconds, 1e-9);
  EXPECT_NEAR(found.platform.page_in.bytes_per_second, m4_.page_in.bytes_per_second, 1e-3 * 4e6);
}

TEST_F(Fits, MakeAModelOfTheSameGraph) {
  const StepFit found = fit(times_of(graph_, program_));
  InputErrors errors;
  ModelSpec spec = read_model(model_json(found.model), "model.json", errors);
  const Model measured = build_model(spec, 1, errors);
  errors.throw_if_any();
  const Graph again = cost_graph(measured, nullptr);
  ASSERT_EQ(again.size(), graph_.size());
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& wanted = graph_.nodes[i];
    const Node& node = again.nodes[i];
    EXPECT_EQ(node.name, wanted.name);
    EXPECT_EQ(node.op, wanted.op);
    EXPECT_EQ(node.bytes, wanted.bytes);
    EXPECT_EQ(node.inputs, wanted.inputs);
    EXPECT_EQ(node.backward, wanted.backward);
    EXPECT_EQ(node.in_place, wanted.in_place);
    EXPECT_EQ(node.workspace_bytes, wanted.workspace_bytes);
    EXPECT_EQ(node.recompute, wanted.recompute);
    EXPECT_EQ(node.page, wanted.page);
    EXPECT_EQ(node.reads_parameters, wanted.reads_parameters);
    EXPECT_EQ(node.writes_parameters, wanted.writes_parameters);
    EXPECT_NEAR(node.runtime_seconds, wanted.runtime_seconds, 1e-12 * wanted.runtime_seconds);
  }
  EXPECT_EQ(measured.parameters.at(0).bytes, Bytes{4} * (6 * 70 + 70));
}

// The order of the schedule stays a choice of the next solve.
TEST_F(Fits, MakeTheSameModelFromAnyOrder) {
  const ModelSpec expected = fit(times_of(graph_, program_)).model;
  Twister random(1);
  for (int number = 0; number < 5; ++number) {
    const NodeOrder order = random_order(random, model_);
    const Model model = permuted(model_, order);
    const Graph graph = permuted(graph_, order);
    const std::vector<Instruction> program = to_program(graph, baseline(graph).schedule);
    const InstructionTimes times = times_of(graph, program);
    const ModelSpec found =
        fit_step({.model = model, .graph = graph, .program = program, .times = times}, m4_).model;
    ASSERT_EQ(found.nodes.size(), expected.nodes.size());
    for (std::size_t i = 0; i < found.nodes.size(); ++i) {
      const MeasuredSpec& node = found.nodes[i];
      const MeasuredSpec& wanted = expected.nodes[i];
      EXPECT_EQ(node.name, wanted.name);
      EXPECT_EQ(node.in_place ? node.in_place->name : "",
                wanted.in_place ? wanted.in_place->name : "");
      EXPECT_EQ(node.costs.runtime_seconds, wanted.costs.runtime_seconds);
      ASSERT_EQ(node.inputs.size(), wanted.inputs.size());
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        EXPECT_EQ(node.inputs[k].name, wanted.inputs[k].name);
      }
    }
  }
}

TEST_F(Fits, TakeTheMedianOfSeveralSteps) {
  InstructionTimes times = times_of(graph_, program_);
  for (std::vector<Seconds>& each : times) {
    if (!each.empty()) each = {each[0], 1000 * each[0] + 1, each[0] / 2, each[0], each[0]};
  }
  EXPECT_THAT(total(fit(times).residuals).largest_error, DoubleNear(0, 1e-9));
}

TEST_F(Fits, ShowWhereOneRateDoesNotSuitAllNodesOfAnOp) {
  InstructionTimes times = times_of(graph_, program_);
  for (std::size_t at = 0; at < program_.size(); ++at) {
    if (program_[at].op == Op::compute && program_[at].node == index_of(model_, "b")) {
      times[at][0] *= 3;
    }
  }
  const StepFit found = fit(times);
  const auto linear = std::find_if(found.residuals.begin(), found.residuals.end(),
                                   [](const OpResidual& op) { return op.op == "linear"; });
  ASSERT_NE(linear, found.residuals.end());
  EXPECT_EQ(linear->node_count, 2);
  EXPECT_GT(linear->largest_error, 0.3);
  EXPECT_NEAR(linear->predicted_seconds, linear->measured_seconds, 1e-9 * linear->measured_seconds);
  for (const OpResidual& op : found.residuals) {
    if (op.op != "linear") {
      EXPECT_NEAR(op.largest_error, 0, 1e-9) << op.op;
    }
  }
}

TEST_F(Fits, RefuseTimesThatSayNothing) {
  InstructionTimes times = times_of(graph_, program_);
  times[1].clear();
  EXPECT_THAT(input_error([&] { fit(times); }), HasSubstr("found no time of instruction 1"));
  for (const Seconds none : {0.0, 1e-300}) {
    for (std::vector<Seconds>& each : times) each = {none};
    EXPECT_THAT(input_error([&] { fit(times); }), HasSubstr("no computation took any time"));
  }
  Model other = model_;
  other.nodes[1].name = "other";
  const InstructionTimes fine = times_of(graph_, program_);
  EXPECT_THAT(input_error([&] {
                fit_step({.model = other, .graph = graph_, .program = program_, .times = fine},
                         m4_);
              }),
              HasSubstr("the schedule's node 1 is 'a'; expected 'other'"));
}

TEST(TransferFits, AreOfLeastRelativeError) {
  const Transfer usual{.latency_seconds = 1, .bytes_per_second = 100};
  const auto fitted = [&](const std::vector<TransferTime>& times) {
    return fit_transfer(times, usual);
  };
  const Transfer line = fitted({{100, 3}, {200, 4}, {1000, 12}, {50, 0}});
  EXPECT_NEAR(line.latency_seconds, 2, 1e-9);
  EXPECT_NEAR(line.bytes_per_second, 100, 1e-6);
  // One size: twice the usual time.
  const Transfer scaled = fitted({{100, 4}, {100, 4}});
  EXPECT_NEAR(scaled.latency_seconds, 2, 1e-9);
  EXPECT_NEAR(scaled.bytes_per_second, 50, 1e-9);
  // A latency below 0 would fit better than none.
  const Transfer steep = fitted({{100, 0.5}, {200, 2}});
  EXPECT_EQ(steep.latency_seconds, 0);
  EXPECT_GT(steep.bytes_per_second, 100);
  EXPECT_LT(steep.bytes_per_second, 200);
  EXPECT_THAT(input_error([&] { fitted({{100, 0}}); }), HasSubstr("took any time"));
}

TEST(Profiles, HaveATimeOfEveryInstructionAndSize) {
  const std::string text = exact_text("[3, 6]", R"(
      {"name": "a", "op": "linear_relu", "inputs": ["input"], "out_features": 7},
      {"name": "loss", "op": "cross_entropy", "inputs": ["a"], "classes": 7})");
  const Model model = parse_model(text, "tiny.json");
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  std::vector<Instruction> program = to_program(graph, baseline(graph).schedule);
  const InstructionTimes times =
      profile_program(bound_step(text), graph, program, kUsualAlignment, {.steps = 7}, {});
  ASSERT_EQ(times.size(), program.size());
  for (const std::vector<Seconds>& each : times) EXPECT_GE(each.size(), 7U);
  Seconds computing = 0;
  for (const Seconds each : step_times(graph, program, times).compute) computing += each;
  EXPECT_GT(computing, 0);
  const PageTimes pages = time_page_file(graph, {});
  EXPECT_EQ(pages.in.size(), 3U);  // of 4, 72 and 84 bytes
  EXPECT_EQ(pages.out.size(), 3U);
}

}  // namespace
}  // namespace poet::test
