// Gradients that read copies of forward tensors: by every op that can, in every kind of update, and
// whatever a schedule recomputes, pages and frees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "execute/checkpoint.hpp"
#include "execute/gradient_error.hpp"
#include "execute/run_schedule.hpp"
#include "expect_input_error.hpp"
#include "model/exact/copy_nodes.hpp"
#include "model/model_spec.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "support/exact_model.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/small_models.hpp"

namespace poet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kStateSeed = 7;

std::vector<std::vector<std::uint32_t>> patterns_of(const std::vector<std::vector<float>>& arrays) {
  std::vector<std::vector<std::uint32_t>> bits;
  for (const std::vector<float>& array : arrays) {
    bits.emplace_back();
    for (const float each : array) bits.back().push_back(std::bit_cast<std::uint32_t>(each));
  }
  return bits;
}

Model with_all_copies(const Model& model, CopyMode mode) {
  return with_copies(model, {.mode = mode, .tensors = copy_candidates(model, mode)});
}

TrainingStep step_of(const Model& model) {
  ModelSpec spec = *model.spec;
  spec.copies = model.copies;
  return bind_step(spec, model.batch_size);
}

// Ops that only small models with `custom` layers have, and a convolution of a view: what it takes
// for a plane are two rows of the tensor, each with a scale.
constexpr const char* kOtherOps = R"(
    {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 8},
    {"name": "tanh", "op": "tanh", "inputs": ["first"]},
    {"name": "image", "op": "reshape", "inputs": ["tanh"], "shape": ["N", 3, 4, 4]},
    {"name": "conv", "op": "conv2d", "inputs": ["image"], "out_channels": 4, "kernel": 3,
     "padding": 1},
    {"name": "gamma", "op": "batch_norm2d", "inputs": ["conv"], "trainable": ["weight"]},
    {"name": "sigmoid", "op": "sigmoid", "inputs": ["gamma"]},
    {"name": "depthwise", "op": "conv2d", "inputs": ["sigmoid"], "out_channels": 4, "groups": 4,
     "kernel": 3},
    {"name": "beta", "op": "batch_norm2d", "inputs": ["depthwise"], "trainable": ["bias"]},
    {"name": "relu", "op": "relu", "inputs": ["beta"]},
    {"name": "flat", "op": "flatten", "inputs": ["relu"]},
    {"name": "dense", "op": "linear_relu", "inputs": ["flat"], "out_features": 8},
    {"name": "last", "op": "linear", "inputs": ["dense"], "out_features": 3},
    {"name": "loss", "op": "cross_entropy_loss", "inputs": ["last"], "classes": 3})";

/// The small models that kernels can compute, and other ops.
std::vector<Model> runnable_models() {
  std::vector<Model> models;
  for (const SmallModel& each : small_models()) {
    if (each.layers.find("\"custom\"") != std::string::npos) continue;
    models.push_back(parse_model(text_of(each), each.name + ".json", 2));
  }
  for (const std::string update : {"fused", "buffered", "accumulate"}) {
    models.push_back(
        exact_model(R"(["N", 6, 8])", kOtherOps, fmt::format(R"("update": "{}",)", update), 2));
  }
  return models;
}

/// How many gradients read no more of a forward tensor than whether it passed a rectifier.
int rectifiers_of(const Model& model) {
  const std::set<std::string> ops = {"relu", "relu6", "leaky_relu", "linear_relu"};
  return static_cast<int>(std::count_if(
      model.nodes.begin(), model.nodes.end(),
      [&](const ModelNode& node) { return !node.backward && ops.count(node.op) > 0; }));
}

/// A step of `plain` in which each gradient is given, in the place of a tensor, the numbers that
/// the copy stands for which it reads in `copied`.
class UnpackedStep {
 public:
  UnpackedStep(const TrainingStep& copied, const TrainingStep& plain)
      : copied_(copied), plain_(plain), tensors_(copied.nodes.size()), tile_(1 << 16) {
    for (std::size_t i = 0; i < plain.nodes.size(); ++i) {
      plain_index_[plain.nodes[i].name] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < copied.nodes.size(); ++i) {
      copied_index_[copied.nodes[i].name] = static_cast<int>(i);
    }
  }

  void run(TrainingState& state) {
    begin_step(state);
    for (std::size_t n = 0; n < copied_.nodes.size(); ++n) {
      const StepNode& node = copied_.nodes[n];
      tensors_[n].resize(static_cast<std::size_t>(node.bytes));
      const int at = static_cast<int>(n);
      if (node.op == "copy_int8") {
        compute(
            copied_, at, [&](int each) { return tensors_[each].data(); }, nullptr, state);
        unpack(node, tensors_[n]);
      } else {
        compute(
            plain_, plain_index_.at(node.name), [&](int each) { return operand(node, each); },
            tile_.data(), state);
      }
    }
  }

  int conversions = 0;

 private:
  void unpack(const StepNode& copy, const std::vector<std::byte>& from) {
    const int of = copy.calls[0].in[0].index;
    const CopyLayout layout = copy_layout(copied_.nodes[of].shape);
    const std::int64_t count = layout.groups * layout.group_size;
    std::vector<float> scales(static_cast<std::size_t>(layout.groups));
    std::memcpy(scales.data(), from.data() + (count + 3) / 4 * 4, scales.size() * sizeof(float));
    std::vector<float>& numbers = unpacked_[of];
    for (std::int64_t i = 0; i < count; ++i) {
      numbers.push_back(static_cast<float>(static_cast<std::int8_t>(from[i])) *
                        scales[i / layout.group_size]);
    }
  }

  std::byte* operand(const StepNode& reader, int plain) {
    const int of = copied_index_.at(plain_.nodes[plain].name);
    for (const KernelCall& call : reader.calls) {
      for (const OperandSource& source : call.in) {
        if (source.kind != OperandSource::Kind::tensor) continue;
        const StepNode& read = copied_.nodes[source.index];
        if (read.op != "copy_int8" || read.calls[0].in[0].index != of) continue;
        ++conversions;
        return reinterpret_cast<std::byte*>(unpacked_.at(of).data());
      }
    }
    return tensors_[of].data();
  }

  const TrainingStep& copied_;
  const TrainingStep& plain_;
  std::map<std::string, int> plain_index_, copied_index_;
  std::vector<std::vector<std::byte>> tensors_;
  std::map<int, std::vector<float>> unpacked_;
  std::vector<std::byte> tile_;
};

TEST(CopiesOfTensors, GiveTheGradientsOfWhatTheyStandFor) {
  std::set<std::string> kernels;
  for (const Model& model : runnable_models()) {
    SCOPED_TRACE(model.name);
    const TrainingStep copied = step_of(with_all_copies(model, CopyMode::int8));
    const TrainingStep plain = step_of(model);
    TrainingState found = initial_state(copied, kStateSeed);
    TrainingState expected = found;
    compute_unscheduled(copied, found);
    UnpackedStep unpacked(copied, plain);
    unpacked.run(expected);
    EXPECT_GT(unpacked.conversions, 0);
    EXPECT_EQ(patterns_of({found.losses}), patterns_of({expected.losses}));
    EXPECT_EQ(patterns_of(found.gradients), patterns_of(expected.gradients));
    EXPECT_EQ(patterns_of(found.parameters), patterns_of(expected.parameters));
    EXPECT_EQ(patterns_of(found.running), patterns_of(expected.running));
    for (const StepNode& node : copied.nodes) {
      for (const KernelCall& call : node.calls) {
        if (call.kernel.name.ends_with("_of_bytes")) kernels.emplace(call.kernel.name);
      }
    }
  }
  EXPECT_THAT(
      kernels,
      ElementsAre("poet_attention_grad_scores_of_bytes", "poet_attention_grad_v_of_bytes",
                  "poet_batch_norm_grad_beta_of_bytes", "poet_batch_norm_grad_gamma_of_bytes",
                  "poet_batch_norm_grad_of_bytes", "poet_conv2d_gradw_of_bytes",
                  "poet_elu_grad_of_bytes", "poet_gelu_grad_of_bytes",
                  "poet_group_norm_grad_of_bytes", "poet_hard_sigmoid_grad_of_bytes",
                  "poet_hard_swish_grad_of_bytes", "poet_leaky_relu_grad_of_bytes",
                  "poet_linear_gradw_of_bytes", "poet_relu6_grad_of_bytes",
                  "poet_relu_grad_of_bytes", "poet_sigmoid_grad_of_bytes",
                  "poet_silu_grad_of_bytes", "poet_tanh_grad_of_bytes"));
}

TEST(CopiesOfTensors, OfOneBitChangeNoBit) {
  int copies = 0;
  for (const Model& model : runnable_models()) {
    SCOPED_TRACE(model.name);
    const Model copied = with_all_copies(model, CopyMode::exact);
    EXPECT_EQ(static_cast<int>(copied.copies.tensors.size()), rectifiers_of(model));
    copies += rectifiers_of(model);
    TrainingState found = initial_state(step_of(copied), kStateSeed);
    TrainingState expected = found;
    compute_unscheduled(step_of(copied), found);
    compute_unscheduled(step_of(model), expected);
    EXPECT_EQ(patterns_of(found.gradients), patterns_of(expected.gradients));
    EXPECT_EQ(patterns_of(found.parameters), patterns_of(expected.parameters));
  }
  // In each kind of update: leaky_relu and relu6 of the images, relu and linear_relu of other ops.
  EXPECT_EQ(copies, 3 * (2 + 2));
}

TEST(CopiesOfTensors, MayBeRecomputedAndPaged) {
  const Platform platform = load_platform("m4");
  Twister random(11);
  for (const Model& model : runnable_models()) {
    for (const CopyMode mode : {CopyMode::exact, CopyMode::int8}) {
      SCOPED_TRACE(model.name);
      const Model copied = with_all_copies(model, mode);
      const Graph graph = cost_graph(copied, &platform);
      const Schedule schedule =
          ExactScheduler(random, graph, {.drop = 60, .page_out = 40, .page_in = 40}).run();
      const RunResult result =
          run_schedule(step_of(copied), graph, to_program(graph, schedule), model.alignment,
                       {.steps = 2, .seed = kStateSeed, .check = true}, {}, step_of(model));
      EXPECT_TRUE(result.equal());
      ASSERT_FALSE(result.gradients.empty());
      for (const GradientResult& gradient : result.gradients) {
        ASSERT_TRUE(gradient.error.has_value()) << gradient.name;
        if (mode == CopyMode::exact) {
          EXPECT_EQ(gradient.error->relative_difference, 0) << gradient.name;
        } else {
          EXPECT_LT(gradient.error->relative_difference, 0.3) << gradient.name;
          EXPECT_GT(gradient.error->cosine, 0.95) << gradient.name;
        }
      }
    }
  }
}

constexpr const char* kLayers = R"(
    {"name": "first", "op": "linear", "inputs": ["input"], "out_features": 64},
    {"name": "relu", "op": "relu", "inputs": ["first"]},
    {"name": "last", "op": "linear", "inputs": ["relu"], "out_features": 3},
    {"name": "loss", "op": "mse", "inputs": ["last"]})";

TEST(CopiesOfTensors, NeedTheWorkspaceOfTheirReaders) {
  const Model copied =
      with_all_copies(parse_model(exact_text("[16, 32]", kLayers), "m.json"), CopyMode::int8);
  const Platform platform = load_platform("m4");
  Graph graph = cost_graph(copied, &platform);
  const std::vector<Instruction> program = to_program(graph, baseline(graph).schedule);
  for (Node& node : graph.nodes) node.workspace_bytes = 0;
  EXPECT_THAT(
      input_error([&] { run_schedule(step_of(copied), graph, program, copied.alignment, {}); }),
      HasSubstr("has 0 bytes of workspace; expected"));
}

TEST(CopiesOfTensors, AreInCheckpoints) {
  const Model plain = parse_model(exact_text("[16, 32]", kLayers), "m.json");
  const TrainingStep step = step_of(plain);
  const TrainingStep copied = step_of(with_all_copies(plain, CopyMode::int8));
  const TrainingStep other = step_of(with_all_copies(plain, CopyMode::exact));
  const auto saved = [](const TrainingStep& by) {
    TrainingState state = initial_state(by, kStateSeed);
    return parse_npz(npz_bytes(checkpoint_arrays(by, state, {.samples = 1})), "last.npz", 1 << 20);
  };
  const auto restored = [](const TrainingStep& by, const std::vector<NamedArray>& arrays) {
    TrainingState state = initial_state(by, kStateSeed);
    return restore(by, arrays, "last.npz", state).samples;
  };
  EXPECT_EQ(restored(step, saved(step)), 1);
  EXPECT_EQ(restored(copied, saved(copied)), 1);
  EXPECT_THAT(input_error([&] { restored(copied, saved(step)); }),
              HasSubstr("found a training without copies"));
  EXPECT_THAT(input_error([&] { restored(step, saved(copied)); }),
              HasSubstr("expected one without copies"));
  EXPECT_THAT(input_error([&] { restored(copied, saved(other)); }), HasSubstr("with other copies"));
}

TEST(GradientErrors, AreLengthsAndAngles) {
  const GradientError turned = gradient_error({0, 2}, {1, 0});
  EXPECT_DOUBLE_EQ(turned.relative_difference, std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(turned.cosine, 0);
  const GradientError longer = gradient_error({3, 6}, {2, 4});
  EXPECT_DOUBLE_EQ(longer.relative_difference, 0.5);
  EXPECT_DOUBLE_EQ(longer.cosine, 1);
  EXPECT_EQ(gradient_error({0, 0}, {0, 0}).relative_difference, 0);
  EXPECT_FALSE(std::isfinite(gradient_error({1, 0}, {0, 0}).relative_difference));
}

}  // namespace
}  // namespace poet::test
