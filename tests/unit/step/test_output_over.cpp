// What a node of an exact graph may take over in some order, its kernels have to be able to write
// over: a search for an order does not know kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "formats/named_text.hpp"
#include "step/output_over.hpp"
#include "support/bound_step.hpp"
#include "support/small_models.hpp"
#include "support/tiny_steps.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

/// Returns how many choices there are beside the one of the given order.
int expect_all_accepted(const std::string& text, const std::string& name) {
  const Model model = parse_model(text, name, 1, Backward::exact);
  const TrainingStep step = bound_step(text);
  int others = 0;
  for (std::size_t k = 0; k < model.nodes.size(); ++k) {
    const ModelNode& node = model.nodes[k];
    for (const int choice : node.in_place_choices) {
      EXPECT_NO_THROW(expect_takes_over(step.nodes[k], choice))
          << name << ": " << model.nodes[choice].name;
      others += choice == node.in_place ? 0 : 1;
    }
  }
  return others;
}

TEST(OutputsOver, AnyChoiceOfABuiltInModelAreAccepted) {
  int others = 0;
  for (const auto& [name, text] : embedded_models()) {
    others += expect_all_accepted(std::string(text), std::string(name));
  }
  EXPECT_GT(others, 100);
}

TEST(OutputsOver, AnyChoiceOfSmallModelsAreAccepted) {
  int others = 0;
  for (const Tiny& tiny : tiny_steps()) others += expect_all_accepted(tiny.text, tiny.name);
  for (const SmallModel& model : small_models()) {
    if (model.layers.find("custom") != std::string::npos) continue;  // has no kernels
    others += expect_all_accepted(text_of(model), model.name);
  }
  EXPECT_GT(others, 10);
}

TEST(OutputsOver, AreRefusedWhereAKernelReadsOn) {
  const TrainingStep step = bound_step(exact_text("[2, 4]", classified(R"(
      {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
      {"name": "b", "op": "relu", "inputs": ["a"]})",
                                                                       "b")));
  const auto index = [&](const std::string& name) {
    for (std::size_t k = 0; k < step.nodes.size(); ++k) {
      if (step.nodes[k].name == name) return static_cast<int>(k);
    }
    ADD_FAILURE() << name;
    return 0;
  };
  const auto take_over = [&](const std::string& node, const std::string& input) {
    expect_takes_over(step.nodes[index(node)], index(input));
  };
  EXPECT_NO_THROW(take_over("b", "a"));
  EXPECT_NO_THROW(take_over("grad(a)", "grad(b)"));
  EXPECT_THAT(input_error([&] { take_over("grad(a)", "b"); }),
              HasSubstr("the output of 'grad(a)' may take over one of its inputs; its kernel, "
                        "poet_relu_grad, cannot do that"));
  EXPECT_THAT(input_error([&] { take_over("a", "input"); }),
              HasSubstr("poet_linear, cannot do that"));
}

}  // namespace
}  // namespace poet::test
