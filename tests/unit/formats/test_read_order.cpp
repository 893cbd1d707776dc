// Orders that users state: as a list of nodes, or by a schedule file that has one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "formats/read_order.hpp"
#include "support/ordered_files.hpp"
#include "support/random_orders.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const Model& fork() {
  static const Model model = fork_subject("accumulate").model;
  return model;
}

NodeOrder order_in(const json& order, const Model& model = fork()) {
  return read_order(order.dump(), "order.json", model);
}

std::string refused(const json& order, const Model& model = fork()) {
  return input_error([&] { order_in(order, model); });
}

/// All nodes of the model by their names.
json names() {
  json list = json::array();
  for (const ModelNode& node : fork().nodes) list.push_back(node.name);
  return list;
}

TEST(ReadOrder, TakesAListOfNamesAndIndices) {
  const Subject subject = fork_subject("accumulate");
  const NodeOrder expected = swapped(subject, "e", "f");
  EXPECT_EQ(order_in(expected), expected);
  json mixed = names();
  const int e = index_of(fork(), "e");
  std::swap(mixed[e], mixed[e + 1]);
  mixed[0] = 0;
  mixed[e + 1] = e;
  EXPECT_EQ(order_in(mixed), expected);
  EXPECT_EQ(order_in(names()), given_order(subject.graph));
}

TEST(ReadOrder, TakesTheOrderOfAScheduleFile) {
  const Subject given = fork_subject("accumulate");
  Twister random(1);
  for (int draw = 0; draw < 5; ++draw) {
    const NodeOrder order = random_order(random, given.model);
    const Subject subject = reordered(given, order);
    EXPECT_EQ(read_order(to_json(kept_file(subject)), "s.json", given.model), order);
  }
  EXPECT_EQ(read_order(to_json(kept_file(given)), "s.json", given.model), given_order(given.graph))
      << "a file in the given order";
}

TEST(ReadOrder, TakesTheScheduleOfAnotherPlatformAndBatchSize) {
  const Subject given = fork_subject("accumulate");
  const Subject other =
      make_subject(parse_model(fork_text("accumulate"), "fork.json", 7), load_platform("a72"), {});
  Twister random(3);
  const NodeOrder order = random_order(random, given.model);
  EXPECT_EQ(read_order(to_json(kept_file(reordered(other, order))), "s.json", given.model), order);
}

TEST(ReadOrder, RefusesWhatIsNoNodeWithThePlace) {
  json list = names();
  list[3] = "loos";
  EXPECT_THAT(refused(list), StartsWith("order.json: /3: found 'loos', which is not a node"));
  EXPECT_THAT(refused(list), HasSubstr("did you mean 'loss'?"));
  list[3] = static_cast<int>(fork().nodes.size());
  EXPECT_THAT(refused(list), StartsWith("order.json: /3: found"));
  list[3] = -1;
  EXPECT_THAT(refused(list), StartsWith("order.json: /3: found"));
  list[3] = nullptr;
  EXPECT_THAT(refused(list), StartsWith("order.json: /3: found"));
  EXPECT_THAT(refused(json(7)), HasSubstr("expected a schedule file, or a list of the nodes"));
  EXPECT_THAT(refused(json::object({{"order", names()}})), HasSubstr("order.json"));
  EXPECT_THAT(input_error([] { read_order("[0, 1", "order.json", fork()); }),
              StartsWith("order.json"));
}

TEST(ReadOrder, RefusesANameOfTwoNodes) {
  Model model = fork();
  model.nodes[2].name = model.nodes[1].name;
  json list = names();
  EXPECT_THAT(refused(list, model),
              StartsWith("order.json: /1: found 'a', the name of several nodes"));
  list[1] = 1;
  list[2] = 2;
  EXPECT_EQ(order_in(list, model).size(), model.nodes.size());
}

TEST(ReadOrder, RefusesANodeThatIsThereTwiceOrMissing) {
  json list = names();
  list[4] = 2;
  EXPECT_THAT(refused(list),
              StartsWith("order.json: /4: found node 2 ('b') a second time, the first is /2"));
  list = names();
  list.erase(2);
  list.erase(4);
  EXPECT_THAT(refused(list), HasSubstr("expected all, also 2 ('b'), 5 ('f')"));
  EXPECT_THAT(refused(json::array()), HasSubstr("also 0 ('input'), 1 ('a'), 2 ('b') and "));
  list = names();
  list.push_back(0);
  EXPECT_THAT(refused(list), HasSubstr("a second time"));
}

/// `update(a)` has no inputs, and reads a gradient that is no tensor of the graph.
TEST(ReadOrder, RefusesAnUpdateBeforeTheGradientThatItApplies) {
  const Subject given = fork_subject("accumulate");
  const NodeOrder early = moved_behind(given, "update(a)", "grad(s)");
  ASSERT_TRUE(is_legal(given.graph, precedence(given.graph), early)) << "by the lists of the graph";
  EXPECT_THAT(refused(early), HasSubstr("('update(a)') comes before"));
}

TEST(ReadOrder, RefusesTheScheduleOfAnotherModel) {
  const Subject given = fork_subject("fused");
  const std::string text = to_json(kept_file(given));
  EXPECT_THAT(input_error([&] { read_order(text, "s.json", fork()); }),
              StartsWith("s.json: found a schedule of "));
  json file = json::parse(text);
  file["nodes"][2]["name"] = "other";
  EXPECT_THAT(
      input_error([&] { read_order(file.dump(), "s.json", given.model); }),
      StartsWith("s.json: /nodes/2/name: found a string (\"other\"), expected 'b', node 2"));
}

}  // namespace
}  // namespace poet::test
