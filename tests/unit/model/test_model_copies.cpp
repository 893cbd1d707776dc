// Copies of tensors that gradients read: which tensors may have one, the graph with them, and what
// it costs. docs/model-format.md states the rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "model/exact/copy_nodes.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "support/exact_model.hpp"
#include "support/oracle.hpp"

namespace poet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A layer `w` that gives gradients to reach, then these.
std::string after(const std::string& first, const std::string& layers) {
  return first + "," + layers;
}

const std::string kConv =
    R"({"name": "w", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3,
        "padding": 1})";
const std::string kDense =
    R"({"name": "w", "op": "linear", "inputs": ["input"], "out_features": 32})";
const std::string kNet = after(kConv, R"({"name": "r", "op": "relu", "inputs": ["w"]},
                    {"name": "v", "op": "conv2d", "inputs": ["r"], "out_channels": 4, "kernel": 1},
                    {"name": "loss", "op": "mse", "inputs": ["v"]})");

Model net(const std::string& keys = "") {
  return exact_model(R"([2, 3, 6, 6])", kNet, keys);
}

Model with_all(const Model& model, CopyMode mode) {
  return with_copies(model, {mode, copy_candidates(model, mode)});
}

Graph on_m4(const Model& model) {
  static const Platform platform = load_platform("m4");
  return cost_graph(model, &platform, 1);
}

std::string digest(const Model& model) {
  return graph_sha256(on_m4(model), PagingTime::blocking);
}

/// A model of one layer behind `w`, by the op.
struct OpCase {
  std::string shape, layers;
};

std::vector<OpCase> op_cases() {
  std::vector<OpCase> cases;
  const std::string loss = R"({"name": "loss", "op": "mse", "inputs": ["t"]})";
  const auto add = [&](const std::string& shape, const std::string& first, const std::string& op,
                       const std::string& keys = "", const std::string& inputs = R"("w")") {
    cases.push_back({shape, after(first, fmt::format(R"({{"name": "t", "op": "{}", "inputs": [{}]
        {}}}, {})",
                                                     op, inputs, keys, loss))});
  };
  for (const char* op : {"relu", "relu6", "leaky_relu", "elu", "sigmoid", "tanh", "hard_sigmoid",
                         "hard_swish", "silu", "gelu", "prelu", "softplus", "batch_norm2d"}) {
    add("[2, 3, 8, 8]", kConv, op);
  }
  add("[2, 3, 8, 8]", kConv, "group_norm", R"(, "groups": 2)");
  add("[2, 3, 8, 8]", kConv, "conv2d", R"(, "out_channels": 8, "kernel": 3, "groups": 8)");
  add("[2, 3, 8, 8]", kConv, "conv2d", R"(, "out_channels": 5, "kernel": [3, 1], "stride": 2)");
  add("[2, 3, 8, 8]", kConv, "conv_transpose2d", R"(, "out_channels": 4, "kernel": 2)");
  add("[2, 3, 8, 8]", kConv, "mul", "", R"("w", "w")");
  add("[4, 16]", kDense, "linear", R"(, "out_features": 8)");
  add("[4, 16]", kDense, "linear_relu", R"(, "out_features": 8)");
  add("[4, 16]", kDense, "layer_norm");
  add("[4, 16]", kDense, "softmax");
  add("[2, 24, 16]", kDense, "attention", R"(, "heads": 4)", R"("w", "w", "w")");
  return cases;
}

TEST(Copies, ALayoutHasAScaleForAPlaneOrARowAndNoneForLessThanEight) {
  const auto layout = [](const Shape& shape) {
    const CopyLayout found = copy_layout(shape);
    return std::vector<std::int64_t>{found.groups, found.group_size, found.bytes};
  };
  EXPECT_THAT(layout({2, 3, 4, 5}), ElementsAre(6, 20, 120 + 24));
  EXPECT_THAT(layout({2, 3, 1, 5}), ElementsAre(2, 15, 32 + 8)) << "three planes of five";
  EXPECT_THAT(layout({7, 9}), ElementsAre(7, 9, 64 + 28)) << "padded to whole words";
  EXPECT_THAT(layout({2, 6, 9}), ElementsAre(12, 9, 108 + 48));
  EXPECT_THAT(layout({10, 4, 2}), ElementsAre(10, 8, 80 + 40));
  EXPECT_THAT(layout({3, 2}), ElementsAre(1, 6, 8 + 4)) << "less than eight in all";
  EXPECT_THAT(layout({64}), ElementsAre(1, 64, 68));
  EXPECT_EQ(copy_bytes({3, 3}, CopyMode::exact), 2);
}

TEST(Copies, GradientsReadTheCopyAndForwardNodesTheTensor) {
  const Model model = with_copies(net(), {CopyMode::int8, {"r"}});
  EXPECT_EQ(index_of(model, "bytes(r)"), index_of(model, "r") + 1);
  const ModelNode& copy = node_of(model, "bytes(r)");
  EXPECT_EQ(copy.op, kBytesOp);
  EXPECT_EQ(copy.copy_of, index_of(model, "r"));
  EXPECT_EQ(copy.bytes, 2 * 8 * 36 + 4 * 2 * 8);
  EXPECT_EQ(copy.flop, 2 * 2 * 8 * 36);
  EXPECT_FALSE(copy.backward);
  EXPECT_EQ(inputs_of(model, "bytes(r)"), "r");
  EXPECT_EQ(inputs_of(model, "v"), "r");
  EXPECT_EQ(inputs_of(model, "gradw(v)"), "bytes(r) grad(v)");
  EXPECT_EQ(inputs_of(model, "grad(w)"), "bytes(r) grad(r)");
  const Model plain = net();
  EXPECT_EQ(node_of(model, "gradw(v)").flop, node_of(plain, "gradw(v)").flop + 2 * 8 * 36);
  EXPECT_EQ(node_of(model, "gradw(v)").workspace_bytes, 4 * 2 * 4 * 36) << "four channels";
}

TEST(Copies, BitsAreForGradientsThatReadASignAlone) {
  const Model model = net();
  EXPECT_THAT(copy_candidates(model, CopyMode::exact), ElementsAre("r"));
  EXPECT_THAT(copy_candidates(model, CopyMode::int8), ElementsAre("input", "r"));
  const Model masked = with_all(model, CopyMode::exact);
  EXPECT_EQ(node_of(masked, "bits(r)").op, kBitsOp);
  EXPECT_EQ(node_of(masked, "bits(r)").bytes, 2 * 8 * 36 / 8);
  EXPECT_EQ(inputs_of(masked, "grad(w)"), "bits(r) grad(r)");
  EXPECT_EQ(inputs_of(masked, "gradw(v)"), "r grad(v)") << "it reads the values";
}

TEST(Copies, WithoutCopiesTheGraphIsWhatItWas) {
  for (const char* name : {"ds_cnn", "resnet18_cifar", "mobilenet_v2_035_96"}) {
    const Model model = load_model(name, 1, Backward::exact);
    for (const CopyMode mode : {CopyMode::exact, CopyMode::int8}) {
      const Model all = with_all(model, mode);
      EXPECT_NE(digest(all), digest(model)) << name;
      EXPECT_EQ(digest(with_copies(all, {})), digest(model)) << name;
      EXPECT_EQ(digest(with_copies(model, {mode, {}})), digest(model)) << name;
      EXPECT_EQ(copy_candidates(all, mode), copy_candidates(model, mode)) << name;
    }
  }
}

TEST(Copies, EveryCandidateHasASmallerCopyAndAReader) {
  for (const std::string& name : builtin_models()) {
    for (const Bytes alignment : {1, 4, 64, 4096}) {
      if (load_model(name).backward == Backward::explicit_nodes) continue;
      Model model = load_model(name, 1, Backward::exact);
      model.alignment = alignment;
      for (const CopyMode mode : {CopyMode::exact, CopyMode::int8}) {
        const Model all = with_all(model, mode);
        const Graph graph = on_m4(all);
        std::vector<bool> is_read(all.nodes.size());
        for (const ModelNode& node : all.nodes) {
          for (const int input : node.inputs) is_read[input] = is_read[input] || node.backward;
        }
        for (int k = 0; k < graph.size(); ++k) {
          if (!all.nodes[k].copy_of) continue;
          EXPECT_LT(graph.nodes[k].bytes, graph.nodes[*all.nodes[k].copy_of].bytes)
              << name << ", " << graph.nodes[k].name << ", alignment " << alignment;
          EXPECT_TRUE(is_read[k]) << name << ", " << graph.nodes[k].name;
        }
      }
    }
  }
}

/// Bounds, windows and baselines rest on it.
TEST(Copies, NoGradientCostsLessWithACopy) {
  Platform platform = load_platform("m4");
  int read = 0;
  for (const OpCase& op : op_cases()) {
    const Model plain = exact_model(op.shape, op.layers);
    for (const CopyMode mode : {CopyMode::exact, CopyMode::int8}) {
      const Model copied = with_all(plain, mode);
      for (const double rate : {0.0, 1e3, 1e6, 1e9}) {
        platform.memory_bytes_per_second = rate > 0 ? std::optional(rate) : std::nullopt;
        const Graph before = cost_graph(plain, &platform, 1);
        const Graph after = cost_graph(copied, &platform, 1);
        for (const Node& node : before.nodes) {
          const Node& same = after.nodes[index_of(copied, node.name)];
          EXPECT_GE(same.runtime_seconds, node.runtime_seconds) << op.layers << node.name << rate;
          EXPECT_GE(same.energy_joules, node.energy_joules) << op.layers << node.name << rate;
          EXPECT_GE(same.workspace_bytes, node.workspace_bytes) << op.layers << node.name;
          EXPECT_EQ(same.bytes, node.bytes) << op.layers << node.name;
          read +=
              same.inputs.size() == node.inputs.size() && same.energy_joules > node.energy_joules;
        }
      }
    }
  }
  EXPECT_GT(read, 100) << "copies are read at all";
}

TEST(Copies, WhatIsTakenOverFollowsTheLastReaders) {
  const Model plain = exact_model("[1, 100]", R"(
    {"name": "w", "op": "linear", "inputs": ["input"], "out_features": 100},
    {"name": "a", "op": "softmax", "inputs": ["w"], "in_place": false},
    {"name": "b", "op": "sigmoid", "inputs": ["w"], "in_place": false},
    {"name": "out", "op": "add", "inputs": ["a", "b"]},
    {"name": "loss", "op": "mse", "inputs": ["out"]})");
  EXPECT_EQ(over_of(plain, "out"), "a") << "gradients read both";
  EXPECT_EQ(over_of(with_copies(plain, {CopyMode::int8, {"b"}}), "out"), "b");
}

TEST(Copies, AChosenOrderStaysTheOrderOfAllOtherNodes) {
  const Model model = net(R"("update": "buffered",)");
  NodeOrder order(model.nodes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto at = [&](const char* name) { return index_of(model, name); };
  ASSERT_EQ(at("update(v)") + 1, at("grad(w)"));
  std::swap(order[at("update(v)")], order[at("grad(w)")]);
  const Model ordered = permuted(model, order);
  const Model copied = with_all(ordered, CopyMode::int8);
  std::vector<std::string> names;
  for (const ModelNode& node : copied.nodes) {
    if (!node.copy_of) {
      names.push_back(node.name);
      continue;
    }
    EXPECT_EQ(*node.copy_of, index_of(copied, node.name) - 1);
  }
  std::vector<std::string> expected;
  for (const ModelNode& node : ordered.nodes) expected.push_back(node.name);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(copied.copies.tensors, copy_candidates(model, CopyMode::int8));
  EXPECT_EQ(with_copies(copied, {}).order, ordered.order);
}

TEST(Copies, AFileMayRefuseThem) {
  std::string layers = kNet;
  layers.insert(layers.find(R"("name": "r",)"), R"("copy": "never", )");
  const Model model = exact_model("[2, 3, 6, 6]", layers);
  EXPECT_THAT(copy_candidates(model, CopyMode::int8), ElementsAre("input"));
  EXPECT_THAT(copy_candidates(model, CopyMode::exact), IsEmpty());
  const Model input = parse_model(
      R"({"format": "poet-model", "version": 2, "name": "tiny",
          "input": {"shape": [2, 3, 6, 6], "copy": "never"}, "layers": [)" +
          kNet + "]}",
      "tiny.json");
  EXPECT_THAT(copy_candidates(input, CopyMode::int8), ElementsAre("r"));
  const Model halves = net(R"("dtype": "fp16",)");
  EXPECT_THAT(copy_candidates(halves, CopyMode::int8), IsEmpty()) << "elements of two bytes";
}

TEST(Copies, OfDropoutHaveToBeStated) {
  const Model model =
      exact_model("[2, 3, 6, 6]", after(kConv, R"({"name": "d", "op": "dropout", "inputs": ["w"]},
          {"name": "v", "op": "conv2d", "inputs": ["d"], "out_channels": 4, "kernel": 1},
          {"name": "loss", "op": "mse", "inputs": ["v"]})"));
  EXPECT_THAT(copy_candidates(model, CopyMode::int8), ElementsAre("input"));
  EXPECT_EQ(inputs_of(with_copies(model, {CopyMode::int8, {"d"}}), "gradw(v)"), "bytes(d) grad(v)");
  for (const auto& [name, count] : {std::pair{"mobilenet_v2_035_96", 105U}, {"gpt2_tiny", 49U}}) {
    const Model built_in = load_model(name, 1, Backward::exact);
    EXPECT_EQ(copy_candidates(built_in, CopyMode::int8).size(), count) << name;
    const Model copied = with_copies(built_in, {CopyMode::int8, {"dropout"}});
    EXPECT_THAT(copied.copies.tensors, ElementsAre("dropout"));
    EXPECT_EQ(copy_candidates(copied, CopyMode::int8).size(), count) << name;
  }
}

TEST(Copies, ANormLiesOverAnInputThatGradientsReadAsBytes) {
  int norms = 0;
  for (const OpCase& op : op_cases()) {
    if (op.layers.find("_norm") == std::string::npos) continue;
    const Model model = exact_model(op.shape, op.layers);
    EXPECT_EQ(over_of(model, "t"), "") << op.layers;
    EXPECT_EQ(over_of(with_copies(model, {CopyMode::int8, {"w"}}), "t"), "w") << op.layers;
    EXPECT_EQ(over_of(with_copies(model, {CopyMode::int8, {"input"}}), "t"), "") << op.layers;
    ++norms;
  }
  EXPECT_EQ(norms, 3);
}

TEST(Copies, WhatCanHaveNoneIsRefused) {
  const Model model = net();
  const auto error = [&](const Copies& copies) {
    return input_error([&] { with_copies(model, copies); });
  };
  EXPECT_THAT(error({CopyMode::int8, {"q"}}), HasSubstr("found 'q', expected a tensor"));
  EXPECT_THAT(error({CopyMode::int8, {"w"}}), HasSubstr("found 'w'")) << "no gradient reads it";
  EXPECT_THAT(error({CopyMode::exact, {"input"}}), HasSubstr("found 'input'"));
  EXPECT_THAT(error({CopyMode::int8, {"r", "r"}}), HasSubstr("found 'r' 2 times"));
  for (const Backward backward : {Backward::poet_chain, Backward::none}) {
    const Model other = load_model("resnet18_cifar", 1, backward);
    EXPECT_THAT(input_error([&] { copy_candidates(other, CopyMode::int8); }),
                HasSubstr("copies need an exact model of layers"));
  }
  Platform platform = load_platform("m4");
  platform.element_bytes = 2;
  const Model copied = with_all(model, CopyMode::int8);
  EXPECT_THAT(input_error([&] { cost_graph(copied, &platform, 1); }),
              HasSubstr("'bytes(input)': found a platform with elements of 2 bytes"));
}

/// The oracle knows neither the judge nor the solver.
TEST(Copies, TheJudgeAndTheOracleAgreeAtEveryBudget) {
  const Model model = exact_model("[1, 16]", after(kDense, R"(
    {"name": "s", "op": "sigmoid", "inputs": ["w"]}, {"name": "loss", "op": "mse", "inputs": ["s"]})"));
  int found = 0;
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"s"}, {"input"}}) {
    const Graph graph = on_m4(with_copies(model, {CopyMode::int8, names}));
    ASSERT_LE(graph.size(), test::kOracleNodes);
    for (Bytes ram = working_set(graph).bytes; ram <= baseline(graph).peak_ram_bytes; ram += 4) {
      Limits limits{.ram_budget_bytes = ram,
                    .runtime_budget_seconds = 3 * baseline(graph).runtime_seconds,
                    .paging_time = PagingTime::blocking};
      const auto answer = test::ask_oracle(graph, limits);
      if (!answer) continue;
      ++found;
      const Replay replay = simulate(graph, answer->schedule, limits);
      EXPECT_TRUE(replay.valid()) << ram;
      EXPECT_NEAR(replay.energy_joules, answer->energy_joules, 1e-12 * answer->energy_joules);
    }
  }
  EXPECT_GT(found, 2);
}

}  // namespace
}  // namespace poet
