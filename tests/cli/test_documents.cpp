// What a document without a schedule says that it is about, by how far its run has come.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

using nlohmann::json;

/// The members of a document about its problem that are not null.
Words known(const json& document) {
  Words keys;
  for (const char* key : {"model", "platform", "graph_sha256", "request"}) {
    EXPECT_TRUE(document.contains(key)) << key;
    if (!document.value(key, json()).is_null()) keys.emplace_back(key);
  }
  return keys;
}

TEST(ErrorDocument, OfAnInfeasibleProblemSaysWhichAsAScheduleFileDoes) {
  const json schedule = document(poet_solve(problem("linear", "m4", "3256", "2")));
  const json error = document(poet_solve(problem("linear", "m4", "3255", "2")));
  expect_error_document(error, 3);
  EXPECT_EQ(error.at("model"), schedule.at("model"));
  EXPECT_EQ(error.at("platform"), schedule.at("platform"));
  json request = schedule.at("request");
  request["ram_budget_bytes"] = 3255;
  EXPECT_EQ(error.at("request"), request);
  EXPECT_EQ(error.at("graph_sha256").get<std::string>().size(), 64U);
}

TEST(ErrorDocument, SaysAsMuchAsWasReadAndNullForTheRest) {
  const auto known_after = [](const Words& arguments) {
    const Finished run = poet_solve(arguments);
    EXPECT_EQ(run.status, 2);
    return known(document(run));
  };
  EXPECT_EQ(known_after(problem("linear", "m4", "many", "2")), Words{});
  EXPECT_EQ(known_after({"--no-such-option"}), Words{});
  EXPECT_EQ(known_after({"verify", "none.json"}), Words{});
  EXPECT_EQ(known_after(problem("none", "m4", "3256", "2")), Words{});
  EXPECT_EQ(known_after(problem("linear", "none", "3256", "2")), Words{"model"});
  EXPECT_EQ(known_after(problem("linear", "m4", "0.0001%", "2")),
            (Words{"model", "platform", "graph_sha256"}));
  EXPECT_EQ(known_after(problem("linear", "m4", "3256", "2") + Words{"--export-model", "m.txt"}),
            (Words{"model", "platform", "graph_sha256", "request"}));
}

TEST(ErrorDocument, OfAModelWithItsCostsHasNoPlatform) {
  const Finished run =
      poet_solve({"--model", "-", "--ram-budget", "59", "--runtime-budget", "1"}, measured_model());
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(known(document(run)), (Words{"model", "graph_sha256", "request"}));
}

TEST(ErrorDocument, OfAPointOfASweepIsThatOfASingleSolve) {
  const TemporaryFolder folder;
  ASSERT_EQ(poet_solve(sweep("linear", "m4", "3255", "2", {"--schedules", folder.path()})).status,
            0);
  const json point = as_document(contents_of(folder.file("0000-linear-m4-both-2x-3255.json")));
  EXPECT_EQ(point, document(poet_solve(problem("linear", "m4", "3255", "2"))));
}

}  // namespace
}  // namespace poet::test
