// Frozen parameters that are copied before they are used: every number has the bits that it has
// without copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "execute/run_schedule.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "support/bound_step.hpp"
#include "support/copied_layers.hpp"
#include "support/exact_model.hpp"
#include "support/small_models.hpp"

namespace poet::test {
namespace {

using nlohmann::json;

constexpr std::uint64_t kSeed = 7;
constexpr int kSteps = 2;

std::vector<std::vector<std::uint32_t>> bits_of(const std::vector<std::vector<float>>& arrays) {
  std::vector<std::vector<std::uint32_t>> bits;
  for (const std::vector<float>& array : arrays) {
    bits.emplace_back();
    for (const float each : array) bits.back().push_back(std::bit_cast<std::uint32_t>(each));
  }
  return bits;
}

TrainingState trained(const TrainingStep& step) {
  TrainingState state = initial_state(step, kSeed);
  for (int i = 0; i < kSteps; ++i) compute_unscheduled(step, state);
  return state;
}

int copies_of(const TrainingStep& step) {
  return static_cast<int>(std::count_if(step.nodes.begin(), step.nodes.end(),
                                        [](const StepNode& node) { return node.op == "copy"; }));
}

/// Returns the number of copies.
int expect_bits_without_copies(const json& model, std::int64_t batch_size) {
  const TrainingStep copied = bound_step(model.dump(), batch_size);
  const TrainingStep in_place = bound_step(without_copies(model).dump(), batch_size);
  EXPECT_EQ(copies_of(in_place), 0);
  const TrainingState got = trained(copied);
  const TrainingState wanted = trained(in_place);
  EXPECT_EQ(bits_of({got.losses}), bits_of({wanted.losses}));
  EXPECT_EQ(bits_of(got.gradients), bits_of(wanted.gradients));
  EXPECT_EQ(bits_of(got.parameters), bits_of(wanted.parameters));
  EXPECT_EQ(bits_of(got.running), bits_of(wanted.running));
  return copies_of(copied);
}

/// `custom` layers have no kernels.
bool can_run(const SmallModel& model) {
  return model.layers.find("\"custom\"") == std::string::npos;
}

TEST(CopiedParameters, GiveTheBitsOfParametersInPlace) {
  int models = 0;
  int copies = 0;
  for (const SmallModel& model : small_models()) {
    if (!can_run(model)) continue;
    SCOPED_TRACE(model.name);
    ++models;
    for (const std::size_t from : {0U, 1U}) {
      copies += expect_bits_without_copies(with_copies(text_of(model), from), 2);
    }
  }
  EXPECT_EQ(models, 9);
  // Images have 6 layers with parameters, activations 5 and sequences 9, three of these with two
  // groups. Each kind of update has all of them once.
  EXPECT_EQ(copies, 3 * (6 + 5 + 12));
}

// Learned tensors as operands, and layers that share what is copied.
constexpr const char* kShared = R"(
    {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 4},
    {"name": "fixed", "op": "parameter", "inputs": [], "shape": [4, 4], "trainable": false,
     "frozen_parameters": "copied"},
    {"name": "product", "op": "matmul", "inputs": ["first", "fixed"]},
    {"name": "own", "op": "linear", "inputs": ["product"], "out_features": 4, "trainable": false,
     "frozen_parameters": "copied"},
    {"name": "tanh", "op": "tanh", "inputs": ["own"]},
    {"name": "same", "op": "linear", "inputs": ["tanh"], "out_features": 4, "weights": "own"},
    {"name": "sum", "op": "add", "inputs": ["same", "fixed"]},
    {"name": "last", "op": "linear", "inputs": ["sum"], "out_features": 3},
    {"name": "loss", "op": "mse", "inputs": ["last"]})";

TEST(CopiedParameters, MayBeSharedAndBeOperands) {
  const std::string text = exact_text("[4, 5]", kShared);
  EXPECT_EQ(expect_bits_without_copies(json::parse(text), 1), 2);
  const Model model = parse_model(text, "tiny.json");
  EXPECT_EQ(inputs_of(model, "same"), "copy(own) tanh");
  EXPECT_EQ(inputs_of(model, "grad(tanh)"), "copy(own) grad(sum)");
}

/// The program without what keeps copies until the backward pass: there they are made again.
std::vector<Instruction> with_copies_made_again(const Model& model,
                                                std::vector<Instruction> program) {
  const auto is_backward = [&](const Instruction& each) { return model.nodes[each.node].backward; };
  for (int copy = 0; copy < static_cast<int>(model.nodes.size()); ++copy) {
    if (model.nodes[copy].op != "copy") continue;
    const auto begin = std::find_if(program.begin(), program.end(), is_backward);
    program.insert(begin, {{.op = Instruction::Op::free, .node = copy},
                           {.op = Instruction::Op::compute, .node = copy}});
  }
  return program;
}

// In RAM that the copies before had, and other tensors meanwhile.
TEST(CopiedParameters, MayBeMadeAgain) {
  const std::string text = exact_text("[4, 5]", kShared);
  const Model model = parse_model(text, "tiny.json");
  const Platform platform = load_platform("m4");
  const Graph graph = cost_graph(model, &platform);
  const std::vector<Instruction> kept = to_program(graph, baseline(graph).schedule);
  const std::vector<Instruction> again = with_copies_made_again(model, kept);
  ASSERT_EQ(again.size(), kept.size() + 4);
  const TrainingStep step = bound_step(text);
  const RunSettings settings{.steps = kSteps, .seed = kSeed, .check = true};
  for (const std::vector<Instruction>& program : {kept, again}) {
    EXPECT_TRUE(run_schedule(step, graph, program, kUsualAlignment, settings).equal());
  }
}

}  // namespace
}  // namespace poet::test
