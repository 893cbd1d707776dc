// What a run without a schedule leaves, written and read back.
#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "formats/read_schedule.hpp"
#include "support/tiny_report.hpp"

namespace poet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ProblemInfo whole_problem() {
  const test::TinySolve solve(test::keep_all());
  return {.model = model_info(solve.model),
          .platform = platform_info(solve.platform),
          .graph_sha256 = "ef",
          .request = solve.request};
}

std::string infeasible_about(const ProblemInfo& problem) {
  return error_json(ExitCode::infeasible, "infeasible", "no room", problem);
}

TEST(SolveDocument, ReadsBackWhatItIsAbout) {
  const std::string text = infeasible_about(whole_problem());
  const SolveDocument document = parse_solve_document(text, "d.json");
  EXPECT_EQ(document.code, ExitCode::infeasible);
  EXPECT_EQ(document.status, Status::infeasible);
  EXPECT_EQ(document.error, "no room");
  ASSERT_TRUE(document.problem);
  EXPECT_EQ(document.problem->model->sha256, "ab");
  EXPECT_EQ(document.problem->platform->sha256, "cd");
  EXPECT_EQ(document.problem->graph_sha256, "ef");
  EXPECT_EQ(infeasible_about(*document.problem), text);
}

TEST(SolveDocument, SaysTheSameOfItsProblemAsAScheduleFile) {
  const json schedule = json::parse(to_json(test::TinySolve(test::keep_all()).report()));
  const json error = json::parse(infeasible_about(whole_problem()));
  EXPECT_EQ(error.at("platform"), schedule.at("platform"));
  EXPECT_EQ(error.at("request"), schedule.at("request"));
  for (const auto& [key, value] : schedule.at("model").items()) {
    EXPECT_TRUE(error.at("model").contains(key)) << key;
  }
}

TEST(SolveDocument, ReadsBackWhatTheProofSaysOfOtherBudgets) {
  ProblemInfo problem = whole_problem();
  EXPECT_FALSE(json::parse(infeasible_about(problem)).contains("smallest_ram_bytes"));
  problem.node = "fc1";
  problem.smallest_ram_bytes = 3256;
  problem.smallest_ram_is_exact = true;
  const SolveDocument document = parse_solve_document(infeasible_about(problem), "d.json");
  ASSERT_TRUE(document.problem);
  EXPECT_EQ(document.problem->node, "fc1");
  EXPECT_EQ(document.problem->smallest_ram_bytes, 3256);
  EXPECT_TRUE(document.problem->smallest_ram_is_exact);
}

TEST(SolveDocument, IsToldFromAScheduleByItsStages) {
  const std::string schedule = to_json(test::TinySolve(test::keep_all()).report());
  EXPECT_TRUE(holds_schedule(schedule, "s.json"));
  EXPECT_FALSE(holds_schedule(infeasible_about(whole_problem()), "s.json"));
  EXPECT_FALSE(holds_schedule("[1]", "s.json"));
  EXPECT_THROW(holds_schedule("{", "s.json"), InputError);
}

TEST(SolveDocument, MayKnowAPartOfItsProblem) {
  ProblemInfo problem = whole_problem();
  problem.platform.reset();
  problem.graph_sha256.reset();
  problem.request.reset();
  const SolveDocument document = parse_solve_document(infeasible_about(problem), "d.json");
  ASSERT_TRUE(document.problem);
  EXPECT_TRUE(document.problem->model);
  EXPECT_FALSE(document.problem->platform);
  EXPECT_FALSE(document.problem->graph_sha256);
  EXPECT_FALSE(document.problem->request);
}

TEST(SolveDocument, OfAnOlderVersionSaysNothingOfIt) {
  const SolveDocument document = parse_solve_document(
      R"({"format": "poet-schedule", "version": 1, "code": 3, "status": "infeasible",
          "error": "no room"})",
      "d.json");
  EXPECT_EQ(document.status, Status::infeasible);
  EXPECT_FALSE(document.problem);
}

TEST(SolveDocument, NamesThePathOfWhatIsWrong) {
  const auto complaint = [](const char* path, const json& value) {
    json document = json::parse(infeasible_about(whole_problem()));
    document[json::json_pointer(path)] = value;
    return input_error([&] { parse_solve_document(document.dump(), "d.json"); });
  };
  EXPECT_THAT(complaint("/request/paging", 1), HasSubstr("d.json: /request/paging: found"));
  EXPECT_THAT(complaint("/request/extra", 1), HasSubstr("d.json: /request"));
  EXPECT_THAT(complaint("/graph_sha256", 7), HasSubstr("d.json: /graph_sha256: found"));
  json partly = json::parse(infeasible_about(whole_problem()));
  partly.erase("request");
  EXPECT_THAT(input_error([&] { parse_solve_document(partly.dump(), "d.json"); }),
              HasSubstr("request"));
}

TEST(ModelInfo, CountsTheNodesBeforeTheFirstBackwardOne) {
  const ModelInfo info = model_info(load_model("linear"));
  EXPECT_EQ(info.node_count, 27);
  EXPECT_EQ(info.forward_node_count, 14);
}

}  // namespace
}  // namespace poet
