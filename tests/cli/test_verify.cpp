#include <functional>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A schedule with recomputation, solved once for all tests.
const std::string& solved() {
  static const std::string text = poet_solve(problem("linear", "m0", "3256", "2")).out;
  return text;
}

struct Corruption {
  std::string name;
  std::function<void(json&)> apply;
  std::string finding;  ///< a part of what stderr must say
};

void PrintTo(const Corruption& corruption, std::ostream* out) {
  *out << corruption.name;
}

json& stage_with(json& file, const char* list) {
  for (json& stage : file.at("stages")) {
    if (!stage.at(list).empty()) return stage;
  }
  throw std::runtime_error(std::string("no stage has any ") + list);
}

class Corrupted : public testing::TestWithParam<Corruption> {};

TEST_P(Corrupted, FileIsRefusedWithTheFinding) {
  json file = json::parse(solved());
  GetParam().apply(file);
  const Finished run = poet_solve({"verify", "-"}, file.dump());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().finding));
}

INSTANTIATE_TEST_SUITE_P(
    Verify, Corrupted,
    testing::Values(
        Corruption{"EnergyTooLow", [](json& f) { f["summary"]["energy_joules"] = 1e-9; },
                   "energy_joules"},
        Corruption{"PeakTooLow", [](json& f) { f["summary"]["peak_ram_bytes"] = 1; },
                   "peak_ram_bytes"},
        Corruption{"BudgetTooSmall",
                   [](json& f) {
                     f["request"]["ram_budget_bytes"] = 3255;
                     f["summary"]["ram_budget_bytes"] = 3255;
                   },
                   "rule 5"},
        Corruption{"BoundAboveEnergy", [](json& f) { f["summary"]["lower_bound_joules"] = 1e9; },
                   "the lower bound of 1000000000 J is above"},
        Corruption{"NothingResident",
                   [](json& f) { stage_with(f, "resident")["resident"] = json::array(); },
                   "rule 1"},
        Corruption{"PagedOutOfNowhere",
                   [](json& f) { f["stages"][0]["page_out"] = json::array({0}); }, "rule 3"},
        Corruption{"PagedInWithoutACopy",
                   [](json& f) { f["stages"][5]["page_in"] = json::array({4}); }, "stage 5"},
        Corruption{"StageWithoutItsNode",
                   [](json& f) { f["stages"][3]["compute"] = json::array(); }, "stage 3"},
        Corruption{"StageMissing", [](json& f) { f["stages"].erase(26); }, "stages"},
        Corruption{"NodeUnknown", [](json& f) { f["stages"][3]["compute"] = json::array({99}); },
                   "compute lists 99, which is not a node"},
        Corruption{"NaNAsText", [](json& f) { f["summary"]["energy_joules"] = "nan"; },
                   "/summary/energy_joules"}),
    [](const auto& instance) { return instance.param.name; });

TEST(Verify, AcceptsWhatTheSolverWroteFromAFileAndFromStdin) {
  const TemporaryFolder folder;
  const Finished from_file = poet_solve({"verify", folder.write("s.json", solved())});
  EXPECT_EQ(from_file.status, 0) << from_file.err;
  EXPECT_THAT(from_file.err, HasSubstr("valid"));
  EXPECT_EQ(from_file.out, "");
  EXPECT_EQ(poet_solve({"verify", "-"}, solved()).status, 0);
}

TEST(Verify, AcceptsACompactFile) {
  const Finished compact = poet_solve(quick_problem() + Words{"--compact"});
  EXPECT_EQ(poet_solve({"verify", "-"}, compact.out).status, 0);
}

TEST(Verify, QuotesTheErrorOfAFileWithoutSchedule) {
  const Finished none = poet_solve(problem("linear", "m4", "3255", "2"));
  const Finished run = poet_solve({"verify", "-"}, none.out);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("3256"));
}

TEST(Verify, RefusesATruncatedFileWithThePlace) {
  const Finished run = poet_solve({"verify", "-"}, solved().substr(0, solved().size() / 2));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("stdin:"));
  expect_error_document(document(run), 2);
}

TEST(Verify, RefusesAMissingFileAndAMissingName) {
  const Finished missing = poet_solve({"verify", "none.json"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.json"));
  EXPECT_EQ(poet_solve({"verify"}).status, 2);
}

}  // namespace
}  // namespace poet::test
