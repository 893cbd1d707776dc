// Schedule files written by hand: what may be missing, and what takes its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "report/schedule_draft.hpp"
#include "report/schedule_version.hpp"
#include "support/ordered_files.hpp"
#include "support/tiny_report.hpp"

namespace poet::test {
namespace {

using nlohmann::json;

/// Nodes and stages of a complete file, and no more.
json bare(const Schedule& schedule) {
  const json whole = json::parse(to_json(TinySolve(schedule).report()));
  json file = {{"format", "poet-schedule"}, {"version", 1}};
  for (const char* key : {"nodes", "stages"}) file[key] = whole.at(key);
  return file;
}

ScheduleFile read(const json& file) {
  return parse_schedule_draft(file.dump(), "draft.json", nullptr);
}

ScheduleFile completed(const json& file) {
  return complete_draft(read(file));
}

std::vector<Violation> violations_of(const ScheduleFile& draft) {
  return simulate(draft.graph, draft.schedule, draft.request.limits).violations;
}

void expect_error(const json& file, const std::string& message) {
  EXPECT_THAT(input_error([&] { read(file); }), testing::HasSubstr(message));
}

TEST(Draft, NeedsNodesAndStagesAlone) {
  for (const Schedule& schedule : {keep_all(), recompute_a(), page_a()}) {
    const ScheduleFile file = completed(bare(schedule));
    EXPECT_EQ(file.schedule, schedule);
    EXPECT_EQ(file.status, Status::feasible);
    EXPECT_EQ(file.model.name, "draft");
    EXPECT_EQ(file.model.node_count, 4);
    EXPECT_EQ(file.model.forward_node_count, 3);
    EXPECT_FALSE(file.platform);
    EXPECT_EQ(file.request.limits.ram_budget_bytes, file.summary.peak_ram_bytes);
    EXPECT_EQ(file.request.limits.runtime_budget_seconds, file.summary.runtime_seconds);
    EXPECT_EQ(file.request.runtime_budget_ratio, file.summary.runtime_ratio);
    EXPECT_EQ(file.summary.lower_bound_joules, 15);
    EXPECT_EQ(without_offsets(file.program), to_program(tiny_graph(), schedule));
    EXPECT_THAT(verify_schedule_file(file), testing::IsEmpty());
    const std::string text = to_json(file);
    EXPECT_EQ(to_json(parse_schedule_file(text, "written")), text);
    EXPECT_EQ(to_json(completed(json::parse(text))), text);
  }
}

TEST(Draft, KeepsWhatItStates) {
  json file = bare(recompute_a());
  file["request"] = {
      {"ram_budget_bytes", 2000}, {"runtime_budget_ratio", 2}, {"paging", false}, {"seed", 7}};
  file["platform"] = {{"name", "board"}, {"source", "board.json"}, {"sha256", "cd"}};
  const ScheduleFile whole = completed(file);
  EXPECT_EQ(whole.request.limits.ram_budget_bytes, 2000);
  EXPECT_EQ(whole.summary.ram_budget_bytes, 2000);
  EXPECT_EQ(whole.request.limits.runtime_budget_seconds, 30);
  EXPECT_EQ(whole.request.runtime_budget_ratio, 2);
  EXPECT_FALSE(whole.request.limits.techniques.paging);
  EXPECT_TRUE(whole.request.limits.techniques.remat);
  EXPECT_EQ(whole.request.settings.seed, 7U);
  EXPECT_EQ(whole.platform->name, "board");
}

TEST(Draft, NamesNodesByNameOrIndexInAnyOrder) {
  json file = bare(keep_all());
  file["stages"] = json::array({{{"compute", {"a"}}},
                                {{"resident", {0}}, {"compute", {"b"}}},
                                {{"resident", {"b", "a"}}, {"compute", {2}}},
                                {{"resident", {"c", 0}}, {"compute", {"d"}}, {"stage", 3}}});
  EXPECT_EQ(read(file).schedule, keep_all());
}

TEST(Draft, TakesItsGraphFromElsewhereIfItHasNone) {
  json file = bare(keep_all());
  file.erase("nodes");
  file["request"] = {{"paging", false}};
  bool paging = true;
  const ScheduleFile draft =
      parse_schedule_draft(file.dump(), "draft.json", [&](const ScheduleFile& known) {
        paging = known.request.limits.techniques.paging;
        return tiny_graph();
      });
  EXPECT_EQ(draft.graph.size(), 4);
  EXPECT_FALSE(paging) << "the request is known when the graph is made";
  expect_error(file, "draft.json: found no 'nodes', expected them, or a model that has them");
}

TEST(Draft, IsReplayedWithinTheBudgetsThatItHas) {
  json file = bare(recompute_a());
  EXPECT_THAT(violations_of(read(file)), testing::IsEmpty());
  const std::vector<std::pair<json, Rule>> tight{{{{"ram_budget_bytes", 1100}}, Rule::ram},
                                                 {{{"runtime_budget_seconds", 15}}, Rule::runtime},
                                                 {{{"runtime_budget_ratio", 1}}, Rule::runtime},
                                                 {{{"remat", false}}, Rule::structure}};
  for (const auto& [request, rule] : tight) {
    file["request"] = request;
    EXPECT_EQ(violations_of(read(file)).front().rule, rule) << request;
  }
  EXPECT_THROW(complete_draft(read(file)), InternalError);
}

TEST(Draft, IsKnownByStagesWithoutASummary) {
  const json whole = json::parse(to_json(TinySolve(keep_all()).report()));
  EXPECT_FALSE(is_draft(whole.dump(), "whole.json"));
  EXPECT_TRUE(is_draft(bare(keep_all()).dump(), "draft.json"));
  EXPECT_FALSE(is_draft(R"({"format": "poet-schedule", "error": "none"})", "error.json"));
  EXPECT_THROW(is_draft("no JSON", "text"), InputError);
}

TEST(Draft, RefusesWhatIsMalformedWithThePlace) {
  const json good = bare(keep_all());
  json file = good;
  file["stages"][1]["resident"] = {"aa"};
  expect_error(
      file,
      "draft.json: /stages/1/resident/0: found 'aa', which is not a node; expected a name or "
      "an index");
  file = good;
  file["nodes"][1]["name"] = "a";
  EXPECT_EQ(read(file).schedule, keep_all()) << "indices are never ambiguous";
  file["stages"][1]["resident"] = {"a"};
  expect_error(file,
               "draft.json: /stages/1/resident/0: found 'a', the name of several nodes; expected "
               "an index");
  file = good;
  file["stages"][2].erase("compute");
  expect_error(file, "draft.json: /stages/2: found no 'compute', expected one");
  file = good;
  file["stages"][2]["stage"] = 1;
  expect_error(file, "/stages/2/stage: found the number 1, expected 2: stages are listed in order");
  file = good;
  file["stages"][2]["computed"] = 1;
  expect_error(file, "/stages/2/computed: found an unknown key");
  file = good;
  file["request"]["ram_budget"] = 1;
  expect_error(file, "/request/ram_budget: found an unknown key");
  file = good;
  file["request"]["ram_budget_bytes"] = "1K";
  expect_error(file, "/request/ram_budget_bytes: found a string");
  file = good;
  file.erase("format");
  expect_error(file, "draft.json: found no 'format'");
}

/// The fork with f before e, as people may write it: of the order, the list alone.
json ordered_draft() {
  const Subject given = fork_subject();
  const json whole = json::parse(to_json(kept_file(reordered(given, swapped(given, "e", "f")))));
  json file = {{"format", "poet-schedule"}, {"version", 2}};
  for (const char* key : {"model", "request", "nodes", "stages"}) file[key] = whole.at(key);
  for (const char* key : {"graph_sha256", "order_sha256"}) file["model"].erase(key);
  file["request"].erase("order");
  return file;
}

TEST(Draft, StaysInItsOrderWhoseDigestsAreWrittenAnew) {
  const Subject given = fork_subject();
  json draft = ordered_draft();
  const ScheduleFile file = completed(draft);
  EXPECT_EQ(file.model.order, swapped(given, "e", "f"));
  EXPECT_EQ(file.model.graph_sha256, given.graph_sha256());
  EXPECT_EQ(file.request.settings.order, OrderKind::stated);
  EXPECT_THAT(verify_schedule_file(file), testing::IsEmpty());
  draft["model"]["graph_sha256"] = file.model.order_sha256;
  EXPECT_EQ(completed(draft).model.graph_sha256, given.graph_sha256());
}

TEST(Draft, RefusesAnOrderThatIsNone) {
  json draft = ordered_draft();
  draft["model"]["order"][1] = 99;
  expect_error(draft, "draft.json: /model/order/1: found 99");
  draft = ordered_draft();
  std::swap(draft["model"]["order"][1], draft["model"]["order"][2]);
  expect_error(draft, "draft.json: /model/order: node ");
  draft = ordered_draft();
  draft["model"].erase("order");
  expect_error(draft, "/in_place_choices: found choices");
}

}  // namespace
}  // namespace poet::test
