#include "formats/read_step_log.hpp"

#include <gmock/gmock.h>

#include <string>

#include "expect_input_error.hpp"
#include "formats/write_inputs.hpp"
#include "model/step_log.hpp"
#include "poet/model.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

const std::string kHead = R"({"format": "poet-step-log", "version": 1, "name": "net"})"
                          "\n";

/// A convolution, a batch norm with statistics beside its output, a relu in place, dropout, the way
/// back and an update.
const std::string kStep =
    kHead +
    R"({"event": "memory", "id": 1, "bytes": 40, "kind": "parameter", "name": "w"}
{"event": "memory", "id": 2, "bytes": 100, "kind": "input", "name": "input"}
{"event": "memory", "id": 3, "bytes": 8, "kind": "other", "name": "running"}
{"event": "op", "op": "conv", "name": "a", "seconds": 2, "reads": [1, 2], "makes": [{"id": 4, "bytes": 60}], "workspace_bytes": 30}
{"event": "op", "op": "norm", "seconds": 1, "reads": [4], "writes": [3], "makes": [{"id": 5, "bytes": 60}, {"id": 6, "bytes": 4}]}
{"event": "op", "op": "relu_", "seconds": 0.5, "reads": [], "writes": [5]}
{"event": "op", "op": "dropout", "seconds": 0.25, "random": true, "reads": [5], "makes": [{"id": 7, "bytes": 60}]}
{"event": "op", "op": "back", "seconds": 4, "backward": true, "energy_joules": 9, "reads": [7, 6, 2], "makes": [{"id": 8, "bytes": 40}]}
{"event": "release", "id": 7}
{"event": "op", "op": "add_", "seconds": 0.125, "backward": true, "reads": [8], "writes": [1]}
)";

const MeasuredSpec& node(const LoggedStep& step, const std::string& name) {
  for (const MeasuredSpec& each : step.model.nodes) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(name);
}

std::vector<std::string> inputs(const MeasuredSpec& node) {
  std::vector<std::string> names;
  for (const InputName& each : node.inputs) names.push_back(each.name);
  return names;
}

TEST(StepLog, BecomesANodeForEachValue) {
  const LoggedStep step = step_of_log(parse_step_log(kStep, "step.jsonl"), 2);
  EXPECT_EQ(step.model.name, "net");
  ASSERT_EQ(step.model.nodes.size(), 8U);
  EXPECT_EQ(step.seconds, 7.875);
  const MeasuredSpec& conv = node(step, "a.conv");
  EXPECT_EQ(conv.costs.runtime_seconds, 2);
  EXPECT_EQ(conv.costs.energy_joules, 4) << "2 W";
  EXPECT_EQ(conv.workspace_bytes, 30);
  EXPECT_EQ(inputs(conv), std::vector<std::string>{"input"});
  ASSERT_EQ(conv.reads_parameters.size(), 1U);
  EXPECT_EQ(conv.reads_parameters[0].name, "w");
  EXPECT_TRUE(conv.recompute);
  EXPECT_FALSE(node(step, "input").recompute);

  const MeasuredSpec& norm = node(step, "norm");
  EXPECT_EQ(norm.workspace_bytes, 4) << "its second output";
  const MeasuredSpec& statistics = node(step, "norm:2");
  EXPECT_EQ(statistics.costs.bytes, 4);
  EXPECT_EQ(statistics.costs.runtime_seconds, 0);
  EXPECT_FALSE(statistics.recompute);
  EXPECT_EQ(inputs(statistics), (std::vector<std::string>{"a.conv", "norm"}));

  const MeasuredSpec& relu = node(step, "relu_");
  EXPECT_EQ(relu.in_place.value().name, "norm");
  EXPECT_FALSE(node(step, "dropout").recompute);
  EXPECT_EQ(inputs(node(step, "dropout")), std::vector<std::string>{"relu_"});
  EXPECT_EQ(node(step, "back").costs.energy_joules, 9);
  EXPECT_TRUE(node(step, "back").backward);

  const MeasuredSpec& update = node(step, "add_");
  EXPECT_EQ(update.costs.bytes, 0);
  EXPECT_EQ(update.writes_parameters.at(0).name, "w");
  EXPECT_FALSE(update.recompute);
}

TEST(StepLog, BecomesAModelFileThatIsRead) {
  const LoggedStep step = step_of_log(parse_step_log(kStep, "step.jsonl"), 1);
  const Model model = parse_model(model_json(step.model), "step.jsonl");
  EXPECT_EQ(model.nodes.size(), 8U);
  EXPECT_EQ(model.backward, Backward::explicit_nodes);
}

/// Momentum: the update reads the buffer that the gradient has changed.
const std::string kMomentum =
    kHead +
    R"({"event": "memory", "id": 1, "bytes": 64, "kind": "parameter", "name": "w"}
{"event": "memory", "id": 2, "bytes": 64, "kind": "other", "name": "w"}
{"event": "memory", "id": 3, "bytes": 64, "kind": "other"}
{"event": "memory", "id": 4, "bytes": 64, "kind": "input", "name": "x"}
{"event": "op", "op": "look", "seconds": 1, "reads": [4, 2, 3], "makes": [{"id": 5, "bytes": 64}]}
{"event": "op", "op": "gradient", "seconds": 1, "reads": [4, 1], "makes": [{"id": 6, "bytes": 64}]}
{"event": "op", "op": "add_", "seconds": 1, "reads": [6], "writes": [2]}
{"event": "op", "op": "sqrt", "seconds": 1, "reads": [2], "makes": [{"id": 7, "bytes": 64}]}
{"event": "op", "op": "mul_", "seconds": 1, "writes": [2]}
{"event": "op", "op": "update", "seconds": 1, "reads": [7], "writes": [1]}
{"event": "op", "op": "after", "seconds": 1, "reads": [1], "makes": [{"id": 8, "bytes": 64}]}
)";

std::vector<std::string> names(const std::vector<InputName>& list) {
  std::vector<std::string> result;
  for (const InputName& each : list) result.push_back(each.name);
  return result;
}

using Names = std::vector<std::string>;

TEST(StepLog, OrdersNodesByWhatTheStepChanges) {
  const LoggedStep step = step_of_log(parse_step_log(kMomentum, "step.jsonl"), 1);
  ASSERT_EQ(step.model.parameters.size(), 2U) << "what no operation changes is no state";
  EXPECT_EQ(step.model.parameters[1].name, "state 2") << "the name is that of a parameter";
  EXPECT_TRUE(step.model.parameters[1].is_state);
  EXPECT_EQ(names(node(step, "look").reads_parameters), Names{"state 2"});
  EXPECT_TRUE(node(step, "look").recompute) << "until the change";
  EXPECT_EQ(names(node(step, "add_").writes_parameters), Names{"state 2"});
  EXPECT_EQ(inputs(node(step, "sqrt")), Names{"add_"}) << "behind the change";
  EXPECT_FALSE(node(step, "sqrt").recompute);
  EXPECT_TRUE(node(step, "sqrt").reads_parameters.empty());
  EXPECT_EQ(inputs(node(step, "mul_")), Names{"sqrt"}) << "which reads the change before";
  EXPECT_EQ(inputs(node(step, "after")), Names{"update"});
  EXPECT_FALSE(node(step, "after").recompute);

  const std::string document = model_json(step.model);
  EXPECT_THAT(document, HasSubstr(R"("state": {)"));
  EXPECT_EQ(parse_model(document, "step.jsonl").parameters.size(), 2U);
}

// The first operation that touches running statistics can be computed again without them. Others
// cannot: between what they compute and what they change, nothing may come.
TEST(StepLog, ChangesRunningStatisticsInPassing) {
  const auto norm = [](int in, int out) {
    return R"({"event": "op", "op": "norm", "seconds": 1, "statistics": [2], "reads": [)" +
           std::to_string(in) + R"(], "makes": [{"id": )" + std::to_string(out) +
           R"(, "bytes": 8}]})" + "\n";
  };
  const std::string text = kHead + R"({"event": "memory", "id": 2, "bytes": 4, "kind": "other"}
{"event": "memory", "id": 3, "bytes": 8, "kind": "input"}
)" + norm(3, 4) + norm(4, 5);
  const LoggedStep step = step_of_log(parse_step_log(text, "log"), 1);
  ASSERT_EQ(step.model.nodes.size(), 4U);
  EXPECT_TRUE(node(step, "norm").recompute);
  EXPECT_TRUE(node(step, "norm").writes_parameters.empty());
  EXPECT_EQ(node(step, "norm:2").costs.bytes, 0);
  EXPECT_FALSE(node(step, "norm:2").recompute);
  EXPECT_EQ(inputs(node(step, "norm:2")), (Names{"input", "norm"}));
  EXPECT_EQ(names(node(step, "norm:2").writes_parameters), Names{"state 2"});
  EXPECT_FALSE(node(step, "norm:3").recompute);
  EXPECT_EQ(names(node(step, "norm:3").writes_parameters), Names{"state 2"});
}

// The most is there during the operation back: 100 of the input, 60 + 60 + 4 + 60 kept, 40 made.
TEST(StepLog, KnowsWhatTheFrameworkHeld) {
  EXPECT_EQ(step_of_log(parse_step_log(kStep, "step.jsonl"), 1).peak_bytes, 324);
}

TEST(StepLog, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& lines) {
    return input_error([&] { step_of_log(parse_step_log(kHead + lines, "log"), 1); });
  };
  EXPECT_THAT(refused(R"({"event": "op", "op": "x", "seconds": 1, "reads": [7]})"),
              HasSubstr("log line 2: found memory 7, which no line before made"));
  EXPECT_THAT(refused(R"({"event": "memory", "id": 1, "bytes": 4, "kind": "input"}
{"event": "release", "id": 1}
{"event": "op", "op": "x", "seconds": 1, "reads": [1]})"),
              HasSubstr("log line 4: found memory 1, which was released"));
  EXPECT_THAT(refused(R"({"event": "memory", "id": 1, "bytes": 4, "kind": "input"}
{"event": "memory", "id": 1, "bytes": 4, "kind": "input"})"),
              HasSubstr("a second time"));
  EXPECT_THAT(refused(R"({"event": "memory", "id": 1, "bytes": 4, "kind": "parameter"})"),
              HasSubstr("expected a name"));
  EXPECT_THAT(refused(R"({"event": "memory", "id": 1, "bytes": 4, "kind": "weight"})"),
              HasSubstr("expected input, parameter or other"));
  EXPECT_THAT(refused(R"({"event": "jump"})"), HasSubstr("expected memory, op or release"));
  EXPECT_THAT(refused(R"({"event": "op", "op": "x", "seconds": -1})"), HasSubstr("/seconds"));
  EXPECT_THAT(refused(R"({"event": "op", "op": "x", "seconds": 1, "time": 2})"), HasSubstr("time"));
  EXPECT_THAT(refused(""), HasSubstr("found no operation"));
  EXPECT_THAT(input_error([] { parse_step_log("", "log"); }), HasSubstr("found no lines"));
  EXPECT_THAT(
      input_error([] { parse_step_log(R"({"format": "poet-model", "version": 1})", "log"); }),
      HasSubstr("poet-step-log"));
}

}  // namespace
}  // namespace poet::test
