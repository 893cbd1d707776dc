// What documents say that they are about; without a schedule, by how far their run has come.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

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

TEST(ErrorDocument, NamesTheNodeThatDecidesAndTheSmallestRamBudgetIfTheyAreKnown) {
  const json known = document(poet_solve(problem("linear", "m4", "3255", "2")));
  EXPECT_EQ(known.at("node"), "grad(fc1)");
  EXPECT_EQ(known.at("smallest_ram_bytes"), 3256);
  EXPECT_EQ(known.at("smallest_ram_is_exact"), true);
  const json searched =
      document(poet_solve(problem("linear", "m4", "3300", "1.0001") + Words{"--no-paging"}));
  expect_error_document(searched, 3);
  for (const char* key : {"node", "smallest_ram_bytes", "smallest_ram_is_exact"}) {
    EXPECT_FALSE(searched.contains(key)) << key;
  }
}

TEST(ErrorDocument, OfAModelWithItsCostsHasNoPlatform) {
  const Finished run =
      poet_solve({"--model", "-", "--ram-budget", "59", "--runtime-budget", "1"}, measured_model());
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(
      run.err,
      testing::HasSubstr("docs/infeasible.md shows what helps, and 'poet-solve advise' tries it"));
  EXPECT_EQ(known(document(run)), (Words{"model", "graph_sha256", "request"}));
}

TEST(ErrorDocument, OfAPointOfASweepIsThatOfASingleSolve) {
  const TemporaryFolder folder;
  ASSERT_EQ(poet_solve(sweep("linear", "m4", "3255", "2", {"--schedules", folder.path()})).status,
            0);
  const json point = as_document(contents_of(folder.file("0000-linear-m4-both-2x-3255.json")));
  EXPECT_EQ(point, document(poet_solve(problem("linear", "m4", "3255", "2"))));
}

TEST(Documents, OfEveryBuiltInModelSayWhatTheyAreAbout) {
  const json list = document(poet_solve({"--list-models", "--json"}));
  int infeasible = 0;
  int number = 0;
  for (const json& model : list.at("models")) {
    const std::string name = model.at("name");
    // Of the larger budgets one in turn.
    for (const int percent : {++number % 2 == 0 ? 90 : 60, 40}) {
      const std::string ram = std::to_string(percent) + "%";
      SCOPED_TRACE(name + " in " + ram);
      const Finished run = poet_solve(problem(name, "m4", ram, "1.5") +
                                      Words{"--effort", "fast", "--time-limit-s", "0.25"});
      const json found = document(run);
      EXPECT_EQ(found.value("code", -1), run.status);
      EXPECT_EQ(found.at("model").at("name"), name);
      EXPECT_EQ(found.at("platform").at("name"), "m4");
      const json& request = found.at("request");
      const std::int64_t budget =
          model.at("baseline_peak_ram_bytes").get<std::int64_t>() * percent / 100;
      EXPECT_EQ(request.at("ram_budget_bytes"), budget);
      EXPECT_EQ(request.at("runtime_budget_ratio"), 1.5);
      EXPECT_EQ(request.at("time_limit_seconds"), 0.25);
      const bool fits = budget >= model.at("working_set_bytes").get<std::int64_t>();
      // Transfers of exact graphs take time, so that more than the working set can be in the way.
      const bool is_chain = found.at("model").at("backward") == "poet-chain";
      if (is_chain || !fits) {
        EXPECT_EQ(run.status == 3, !fits) << run.err;
      }
      if (run.status != 0) expect_error_document(found, run.status);
      infeasible += run.status == 3 ? 1 : 0;
    }
  }
  EXPECT_GT(infeasible, 0);
}

}  // namespace
}  // namespace poet::test
