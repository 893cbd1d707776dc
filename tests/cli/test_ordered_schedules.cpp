// Commands that are given a schedule in another order of its model's nodes.
#include <fmt/format.h>

#include "cli/exported_files.hpp"
#include "support/ordered_schedule.hpp"
#include "support/random_orders.hpp"

namespace poet::test {
namespace {

/// Two inputs, weights and names that two layers share, dropped elements, several losses, and
/// gradients that are kept.
constexpr const char* kModelText = R"({"format": "poet-model", "version": 2, "name": "tiny",
 "update": "accumulate", "optimizer": "adam",
 "inputs": {"x": {"shape": [3, 6]}, "y": {"shape": [3, 6]},
            "class": {"shape": [3], "dtype": "int32"}},
 "layers": [
 {"name": "a", "op": "linear", "inputs": ["x"], "out_features": 6},
 {"name": "b", "op": "linear", "inputs": ["y"], "out_features": 6, "weights": "a"},
 {"name": "a.b", "op": "dropout", "inputs": ["a"]},
 {"name": "a_b", "op": "dropout", "inputs": ["b"]},
 {"name": "rest", "op": "sub", "inputs": ["a.b", "a_b"]},
 {"name": "c", "op": "linear", "inputs": ["rest"], "out_features": 6},
 {"name": "far", "op": "mse", "inputs": ["rest"], "target": "y"},
 {"name": "near", "op": "cross_entropy", "inputs": ["c"], "classes": 6, "target": "class"},
 {"name": "own", "op": "mse", "inputs": ["c"]}]})";

class OrderedSchedules : public Export {
 protected:
  /// The file of keeping everything in an order.
  std::string schedule_in(const NodeOrder& order) const {
    const auto keep_all = [](const Graph& graph) { return baseline(graph).schedule; };
    const std::string name = order.empty() ? "given.json" : "ordered.json";
    return folder_.write(name, to_json(ordered_file(model_, platform_, order, keep_all)));
  }

  /// A legal order that turns the inputs, the losses and the two dropped tensors around.
  NodeOrder turned() const {
    Twister random(1);
    const auto comes_after = [&](const std::vector<int>& place, const char* a, const char* b) {
      return place[at(a)] > place[at(b)];
    };
    for (;;) {
      const NodeOrder order = random_order(random, model_);
      const std::vector<int> place = places_of(order);
      if (comes_after(place, "x", "y") && comes_after(place, "far", "near") &&
          comes_after(place, "a.b", "a_b"))
        return order;
    }
  }

  std::size_t at(const std::string& name) const {
    for (std::size_t k = 0; k < model_.nodes.size(); ++k) {
      if (model_.nodes[k].name == name) return k;
    }
    ADD_FAILURE() << "no node " << name;
    return 0;
  }

  json run(const std::string& path) const {
    return document(
        poet_solve({"run", path, "--model", path_, "--steps", "2", "--seed", "7", "--check"}));
  }

  std::string path_ = folder_.write("tiny.json", kModelText);
  Model model_ = load_model(path_);
  Platform platform_ = load_platform("m4");
};

TEST_F(OrderedSchedules, RunWithTheBitsOfTheGivenOrder) {
  const json expected = run(schedule_in({}));
  const std::string path = schedule_in(turned());
  ASSERT_TRUE(json::parse(contents_of(path)).at("model").contains("order"));
  const json found = run(path);
  EXPECT_EQ(found.at("equal"), true);
  EXPECT_EQ(found.at("losses"), expected.at("losses"));
  EXPECT_EQ(found.at("gradients"), expected.at("gradients"));
}

/// What a program of a user refers to: data, layers and tensors, without the tensors' numbers.
std::set<std::string> words_of_header(const std::string& header) {
  std::set<std::string> words;
  for (std::string line : lines_of(header)) {
    if (line.find("_INSTRUCTION_COUNT") != std::string::npos) continue;
    if (line.find("_ARENA_BYTES") != std::string::npos) continue;
    if (line.find("_TOTAL_RAM_BYTES") != std::string::npos) continue;
    const std::size_t equals = line.find(" = ");
    const std::size_t comment = line.find(" /*");
    if (line.starts_with("  POET_TENSOR_")) line = line.substr(0, equals) + line.substr(comment);
    words.insert(line);
  }
  return words;
}

TEST_F(OrderedSchedules, AreExportedWithTheNumbersOfTheGivenOrder) {
  const std::string given = schedule_in({});
  ASSERT_EQ(exported(given, {"--model", path_}).status, 0);
  const std::set<std::string> expected = words_of_header(file_of("poet_plan.h"));
  EXPECT_THAT(expected, testing::Contains(HasSubstr("POET_TENSOR_A_B_2 /* a_b: ")));
  const Finished finished = exported(schedule_in(turned()), {"--model", path_});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(words_of_header(file_of("poet_plan.h")), expected);
  const std::string gradients = folder_.file("gradients");
  const Finished step = run_step(built(), {"2", "7", gradients});
  ASSERT_EQ(step.status, 0) << step.err;
  expect_same(run(given), step.out, contents_of(gradients));
}

// The update has no inputs, so only the model knows that it comes after the last addition.
TEST_F(OrderedSchedules, AreRefusedIfTheModelDoesNotAllowTheOrder) {
  NodeOrder order;
  for (std::size_t k = 0; k < model_.nodes.size(); ++k) {
    if (k != at("gradw(c)")) order.push_back(static_cast<int>(k));
  }
  order.push_back(static_cast<int>(at("gradw(c)")));
  const std::string path = schedule_in(order);
  const std::string message = fmt::format(
      "--model: {}: the schedule's order of the nodes is not legal for this model: node "
      "{} ('update(c)') comes before node {} ('gradw(c)')",
      path_, at("update(c)"), at("gradw(c)"));
  const std::string ticks = folder_.write("ticks.csv", "instruction,ticks\n0,1\n");
  for (const Words& words : {Words{"run", path, "--model", path_},
                             Words{"export", path, "--model", path_, "--output", plan_},
                             Words{"fit", ticks, path, "--model", path_}}) {
    const Finished finished = poet_solve(words);
    EXPECT_EQ(finished.status, 2) << words[0];
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace poet::test
