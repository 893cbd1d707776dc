// Schedule files in another order than the one of their model: what they state of it, and that
// whatever is falsified of it is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "formats/read_schedule.hpp"
#include "report/file_order.hpp"
#include "report/place_schedule.hpp"
#include "report/unplaced_file.hpp"
#include "report/verify_schedule_file.hpp"
#include "support/contents_of.hpp"
#include "support/ordered_files.hpp"
#include "support/random_orders.hpp"
#include "support/small_models.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Findings = std::vector<std::string>;

/// The fork with f before e.
const ScheduleFile& fork_file() {
  static const ScheduleFile file = [] {
    const Subject given = fork_subject();
    return kept_file(reordered(given, swapped(given, "e", "f")));
  }();
  return file;
}

ScheduleFile parsed(const json& file) {
  return parse_schedule_file(file.dump(), "s.json");
}

/// The file of the fork after a change of its text.
json changed(const std::function<void(json&)>& change) {
  json file = json::parse(to_json(fork_file()));
  change(file);
  return file;
}

Findings found(const json& file) {
  return verify_schedule_file(parsed(file));
}

Findings found_with_model(const json& file) {
  const Subject given = fork_subject();
  return verify_schedule_file(parsed(file), &given.model, &*given.platform);
}

std::string refused(const std::function<void(json&)>& change) {
  const json file = changed(change);
  return input_error([&] { parsed(file); });
}

int place_of(const json& file, const std::string& name) {
  const json& nodes = file.at("nodes");
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].at("name") == name) return static_cast<int>(k);
  }
  throw std::runtime_error("no node " + name);
}

json& node_in(json& file, const std::string& name) {
  return file["nodes"][place_of(file, name)];
}

TEST(FileOrder, StatesTheOrderItsDigestsAndTheChoices) {
  const Subject given = fork_subject();
  const ScheduleFile& file = fork_file();
  EXPECT_EQ(file.model.order, swapped(given, "e", "f"));
  EXPECT_EQ(file.model.graph_sha256, given.graph_sha256());
  EXPECT_EQ(file.model.order_sha256, graph_sha256(file.graph, PagingTime::blocking));
  EXPECT_NE(file.model.order_sha256, file.model.graph_sha256);
  EXPECT_EQ(file.request.settings.order, OrderKind::stated);
  json text = json::parse(to_json(file));
  EXPECT_EQ(text["version"], 2);
  EXPECT_EQ(text["request"]["order"], "stated");
  const auto numbers = [&](const std::string& a, const std::string& b) {
    return json({place_of(text, a), place_of(text, b)});
  };
  EXPECT_EQ(node_in(text, "e")["in_place_choices"], numbers("b", "c"));
  EXPECT_EQ(node_in(text, "e")["in_place"], place_of(text, "b"));
  EXPECT_EQ(node_in(text, "f")["in_place_choices"], numbers("b", "a"));
  EXPECT_EQ(node_in(text, "f")["in_place"], place_of(text, "b"));
}

TEST(FileOrder, IsNowhereInAFileInTheGivenOrder) {
  const std::string text = to_json(kept_file(fork_subject()));
  EXPECT_THAT(text, Not(HasSubstr("order")));
  EXPECT_THAT(text, Not(HasSubstr("_choices")));
  json file = json::parse(text);
  EXPECT_EQ(node_in(file, "e")["in_place"], place_of(file, "c"));
}

TEST(FileOrder, IsReadAsItWasWritten) {
  const std::string text = to_json(fork_file());
  const ScheduleFile file = parse_schedule_file(text, "s.json");
  EXPECT_EQ(to_json(file), text);
  EXPECT_EQ(given_graph_sha256(file), fork_subject().graph_sha256());
  EXPECT_THAT(found(json::parse(text)), IsEmpty());
  EXPECT_THAT(found_with_model(json::parse(text)), IsEmpty());
}

/// A script in Python made its digests of docs/schedule-format.md, and the independent checker of
/// schedules accepts it.
TEST(FileOrder, HasTheDigestsThatThePageDescribes) {
  const std::string path = POET_SOURCE_DIR "/tests/fuzz/corpus/schedule/ordered.json";
  const ScheduleFile file = parse_schedule_file(contents_of(path), path);
  EXPECT_EQ(file.model.order.size(), 20U);
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
}

TEST(FileOrder, IsVerifiedForRandomOrdersOfEveryOp) {
  int count = 0;
  Twister random(1);
  for (const SmallModel& model : small_models()) {
    SCOPED_TRACE(model.name);
    const Subject given =
        make_subject(parse_model(text_of(model), "model.json"), load_platform("m4"), {});
    for (int draw = 0; draw < 4; ++draw) {
      const Subject subject = reordered(given, random_order(random, given.model));
      ASSERT_TRUE(subject.chosen);
      const std::string text = to_json(kept_file(subject));
      const ScheduleFile file = parse_schedule_file(text, "s.json");
      EXPECT_EQ(to_json(file), text);
      EXPECT_EQ(file.model.graph_sha256, given.graph_sha256());
      EXPECT_EQ(file.model.order_sha256, subject.order_sha256());
      EXPECT_THAT(verify_schedule_file(file, &given.model, &*given.platform), IsEmpty());
      ++count;
    }
  }
  EXPECT_EQ(count, 60);
}

TEST(FileOrder, IsKeptWhereAnotherScheduleIsWritten) {
  ScheduleFile file = fork_file();
  file.request.settings.order = OrderKind::search;
  file.bought.given_order_energy_joules = 2 * file.summary.energy_joules;
  const SolveResult again{.schedule = file.schedule,
                          .energy_joules = file.summary.energy_joules,
                          .lower_bound_joules = file.summary.lower_bound_joules};
  ScheduleFile other = with_other_schedule(file, again);
  EXPECT_EQ(other.model.order, file.model.order);
  EXPECT_EQ(other.model.order_sha256, file.model.order_sha256);
  EXPECT_EQ(other.bought.given_order_energy_joules, file.bought.given_order_energy_joules);
  const PlacedSchedule placed = place_schedule(other, {});
  ASSERT_TRUE(placed.fits);
  EXPECT_THAT(verify_schedule_file(placed.file), IsEmpty());
  const int e = place_of(json::parse(to_json(placed.file)), "e");
  EXPECT_THAT(placed.file.graph.nodes[e].in_place_choices, testing::SizeIs(2));
}

TEST(FileOrder, ThatIsNotTheOneOfTheNodesIsFound) {
  const auto swap_entries = [](json& file) {
    std::swap(file["model"]["order"][place_of(file, "e")],
              file["model"]["order"][place_of(file, "c")]);
  };
  EXPECT_THAT(found(changed(swap_entries)), Contains(HasSubstr("model.order is not legal: node ")));
  const auto swap_independent = [](json& file) {
    std::swap(file["model"]["order"][place_of(file, "b")],
              file["model"]["order"][place_of(file, "c")]);
  };
  EXPECT_THAT(found(changed(swap_independent)), Contains(HasSubstr("model.graph_sha256 is ")));
}

TEST(FileOrder, WithAFalseDigestIsFound) {
  for (const std::string key : {"graph_sha256", "order_sha256"}) {
    const auto falsify = [&](json& file) {
      std::string digest = file["model"][key];
      digest[0] = digest[0] == '0' ? '1' : '0';
      file["model"][key] = digest;
    };
    EXPECT_THAT(found(changed(falsify)), ElementsAre(HasSubstr("model." + key + " is ")));
  }
  const auto swap_digests = [](json& file) {
    std::swap(file["model"]["graph_sha256"], file["model"]["order_sha256"]);
  };
  EXPECT_THAT(found(changed(swap_digests)), testing::SizeIs(2));
}

TEST(FileOrder, WithAnotherChoiceIsFoundEvenIfItsDigestIsRight) {
  ScheduleFile file = fork_file();
  const json text = json::parse(to_json(file));
  const int e = place_of(text, "e");
  file.graph.nodes[e].in_place = place_of(text, "c");
  file.model.order_sha256 = graph_sha256(file.graph, file.request.limits.paging_time);
  EXPECT_THAT(order_findings(file),
              ElementsAre(fmt::format("node {0} ('e'): in_place is {1}; expected {2}, of the "
                                      "choices {2}, {1}",
                                      e, place_of(text, "c"), place_of(text, "b"))));
}

TEST(FileOrder, WithoutItsChoicesIsFound) {
  const json without_e = changed([](json& file) { node_in(file, "e").erase("in_place_choices"); });
  EXPECT_THAT(found(without_e), Contains(HasSubstr("model.graph_sha256 is ")))
      << "in the given order, e takes over c";
  // f takes over b either way, so that no digest changes.
  const json without_f = changed([](json& file) { node_in(file, "f").erase("in_place_choices"); });
  EXPECT_THAT(found(without_f), IsEmpty());
  EXPECT_THAT(found_with_model(without_f),
              ElementsAre(HasSubstr("('f'): in_place_choices, in the given order, are []")));
}

TEST(FileOrder, ThatOnlyTheListsOfTheGraphAllowIsFoundWithTheModel) {
  Subject given = fork_subject("accumulate");
  const Model model = given.model;
  const NodeOrder early = moved_behind(given, "update(a)", "grad(s)");
  for (ModelNode& node : given.model.nodes) node.adds_to.clear();
  given.model.update = Update::fused;
  const ScheduleFile file = kept_file(reordered(given, early));
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
  EXPECT_THAT(order_findings(file, model),
              ElementsAre(HasSubstr("model.order is not legal for the model: node")));
}

TEST(FileOrder, IsStatedByTheRequestToo) {
  const auto silent = [](json& file) { file["request"].erase("order"); };
  EXPECT_THAT(found(changed(silent)), ElementsAre(HasSubstr("request.order is missing")));
}

TEST(FileOrder, OfAUserBoughtNothing) {
  const auto bought = [](json& file) { file["summary"]["given_order_energy_joules"] = 1; };
  EXPECT_THAT(found(changed(bought)), ElementsAre(HasSubstr("given_order_energy_joules is there")));
  const auto searched = [&](json& file) {
    bought(file);
    file["request"]["order"] = "search";
  };
  EXPECT_THAT(found(changed(searched)), IsEmpty());
}

TEST(FileOrder, IsThereWithAllItsKeysOrNone) {
  for (const std::string key : {"order", "graph_sha256", "order_sha256"}) {
    EXPECT_THAT(refused([&](json& file) { file["model"].erase(key); }),
                HasSubstr("s.json: /model: found"));
  }
  const auto all = [](json& file) {
    for (const char* key : {"order", "graph_sha256", "order_sha256"}) file["model"].erase(key);
  };
  EXPECT_THAT(refused(all), HasSubstr("/in_place_choices: found choices in a file in the given"));
}

TEST(FileOrder, IsAnOrderOfAllNodes) {
  const auto with_order = [](const std::function<void(json&)>& change) {
    return refused([&](json& file) { change(file["model"]["order"]); });
  };
  EXPECT_THAT(with_order([](json& order) { order[3] = order[2]; }),
              HasSubstr("s.json: /model/order/3: found node 2 a second time"));
  EXPECT_THAT(with_order([](json& order) { order[3] = 99; }),
              HasSubstr("s.json: /model/order/3: found 99; expected a node, 0 to "));
  EXPECT_THAT(with_order([](json& order) { order[3] = -1; }),
              HasSubstr("/model/order/3: found -1"));
  EXPECT_THAT(with_order([](json& order) { order.erase(3); }),
              HasSubstr("s.json: /model/order: found "));
  EXPECT_THAT(with_order([](json& order) { order = json::array(); }),
              HasSubstr("s.json: /model/order: found 0 nodes"));
  EXPECT_THAT(with_order([](json& order) { std::sort(order.begin(), order.end()); }),
              HasSubstr("/model/order: found the given order; expected another one, or no such"));
}

TEST(FileOrder, HasDigestsThatLookLikeOnes) {
  for (const std::string digest : {"", "ab", "ABCD"}) {
    EXPECT_THAT(refused([&](json& file) { file["model"]["graph_sha256"] = digest; }),
                HasSubstr("/model/graph_sha256: found a string"));
  }
}

TEST(FileOrder, IsNoKeyOfVersion1) {
  const auto older = [](json& file) {
    file["version"] = 1;
    for (const char* key : {"paging_time"}) file["request"].erase(key);
  };
  EXPECT_THAT(refused(older), HasSubstr("no such key in version 1"));
}

TEST(FileOrder, IsSaidInADocumentWithoutASchedule) {
  const Subject given = fork_subject();
  const Subject subject = reordered(given, swapped(given, "e", "f"));
  ProblemInfo problem{.model = model_info(subject),
                      .platform = platform_info(*subject.platform),
                      .graph_sha256 = subject.graph_sha256()};
  EXPECT_EQ(schedule_version(problem), 2);
  const std::string text = error_json(ExitCode::limit, "unknown", "no time", problem);
  const SolveDocument document = parse_solve_document(text, "d.json");
  ASSERT_TRUE(document.problem && document.problem->model);
  EXPECT_EQ(document.problem->model->order, subject.model.order);
  EXPECT_EQ(document.problem->model->graph_sha256, given.graph_sha256());
  EXPECT_EQ(document.problem->model->order_sha256, subject.order_sha256());
  json false_graph = json::parse(text);
  false_graph["graph_sha256"] = subject.order_sha256();
  EXPECT_THAT(input_error([&] { parse_solve_document(false_graph.dump(), "d.json"); }),
              HasSubstr("d.json: /graph_sha256: found"));
}

}  // namespace
}  // namespace poet::test
