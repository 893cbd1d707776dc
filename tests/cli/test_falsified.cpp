// Every figure of a file, falsified: `verify` has to refuse it, unless nobody can know better.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;
using Keys = std::set<std::string>;
using testing::HasSubstr;

/// Words that a key may have; other texts are names and digests.
const std::map<std::string, std::vector<std::string>> kWords{
    {"status", {"optimal", "feasible", "infeasible", "unknown", "failed"}},
    {"techniques", {"both", "remat", "paging", "none"}},
    {"origin", {"solved", "verdict", "reused"}},
    {"paging_time", {"free", "blocking", "overlapped"}},
    {"objective", {"energy", "runtime", "ram"}},
    {"backward", {"poet-chain", "exact", "none", "explicit"}},
};

/// A number is falsified by much or by little.
enum class By { much, little };

By the_other(By by) {
  return by == By::much ? By::little : By::much;
}

std::vector<json> others_than(const json& value, const std::string& key, By by) {
  std::vector<json> others;
  if (value.is_null()) {
    others.push_back(1);
  } else if (value.is_boolean()) {
    others.push_back(!value.get<bool>());
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    others.push_back(by == By::much && number != 0 ? number * 2 : number + 1);
  } else if (value.is_number()) {
    // Figures agree if nine digits do.
    const double number = value.get<double>();
    const bool doubles = by == By::much && number != 0;
    others.push_back(doubles ? number * 2 : number + std::max(1.0, std::abs(number) * 1e-6));
  } else if (const auto words = kWords.find(key); words != kWords.end()) {
    others.assign(words->second.begin(), words->second.end());
  } else if (value.is_string()) {
    others.push_back("x" + value.get<std::string>());
  }
  std::erase(others, value);
  return others;
}

/// The leaves below these members of a document; of the whole document, if there are none.
std::vector<Pointer> leaves(const json& document, const std::vector<std::string>& members) {
  std::vector<Pointer> found;
  const json flat = document.flatten();
  for (const auto& [path, value] : flat.items()) {
    const Pointer at(path);
    const std::string first = path.substr(1, path.find('/', 1) - 1);
    const bool is_meant =
        members.empty() || std::find(members.begin(), members.end(), first) != members.end();
    if (is_meant) found.push_back(at);
  }
  return found;
}

/// The fields of which a falsehood passes. `passes` tells whether a changed document does. Fields
/// are falsified by much and by little in turn, `first` the first one: a falsehood is a run of the
/// program.
template <typename Passes>
Keys unnoticed(const json& document, const std::vector<std::string>& members, Passes passes,
               By first = By::much) {
  Keys found;
  int tried = 0;
  By by = first;
  for (const Pointer& at : leaves(document, members)) {
    for (const json& other : others_than(document.at(at), at.back(), by)) {
      json changed = document;
      changed[at] = other;
      ++tried;
      if (passes(changed)) found.insert(at.to_string());
    }
    by = the_other(by);
  }
  EXPECT_GT(tried, 10);
  return found;
}

Keys unnoticed_in_file(const json& file, By first, const Words& more = {}) {
  EXPECT_EQ(poet_solve(Words{"verify", "-"} + more, file.dump()).status, 0);
  return unnoticed(
      file, {"code", "status", "model", "platform", "request", "summary"},
      [&](const json& changed) {
        return poet_solve(Words{"verify", "-", "-q"} + more, changed.dump()).status == 0;
      },
      first);
}

Keys together(const std::vector<Keys>& all) {
  Keys keys;
  for (const Keys& some : all) keys.insert(some.begin(), some.end());
  return keys;
}

/// Where the graph came from. The graph itself is in the file, and is compared with --model.
const Keys kProvenance{"/model/name",    "/model/source",    "/model/sha256",
                       "/platform/name", "/platform/source", "/platform/sha256"};
/// How the graph follows from the model, which --model compares.
const Keys kDerivation{"/model/backward", "/model/batch_size", "/request/mem_power_scale"};
/// What was asked for and leaves no trace in a schedule. A smaller gap would be noticed.
const Keys kAsked{"/request/gap", "/request/seed", "/request/solve_threads",
                  "/request/time_limit_seconds"};
/// To claim less than is proven is not false.
const Keys kModest{"/status"};
const Keys kLessCertified{"/summary/certified"};
/// Limits that a schedule keeps to although it need not.
const Keys kUnused{"/request/remat", "/request/storage_budget_bytes",
                   "/request/page_out_budget_bytes"};
/// What follows from the model and the platform.
const Keys kOfTheBoard{
    "/summary/memory/parameters_bytes", "/summary/memory/gradients_bytes",
    "/summary/memory/optimizer_bytes",  "/summary/memory/reserve_bytes",
    "/summary/memory/flash_bytes",      "/summary/steps_until_worn",
};

/// The same as older versions wrote it.
json without_offsets(json file) {
  file["version"] = 1;
  json& summary = file.at("summary");
  for (const char* key : {"arena_bytes", "storage_bytes", "peak_storage_bytes"}) summary.erase(key);
  for (json& step : file.at("program")) {
    for (const char* key : {"offset", "slot"}) step.erase(key);
  }
  return file;
}

const Words kChain{"--model", "linear", "--platform", "m4"};

/// A schedule of POET's chain that recomputes and pages.
json solved_chain() {
  const Finished run = poet_solve(kChain + Words{"--ram-budget", "3256", "--runtime-budget", "1"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json file = document(run);
  EXPECT_GT(file.at("summary").at("recompute_count"), 0);
  EXPECT_GT(file.at("summary").at("page_in_count"), 0);
  return file;
}

/// It is solved once for all tests.
const json& chain_schedule() {
  static const json kFile = solved_chain();
  return kFile;
}

const Words kExact{"--model", "linear", "--platform", "stm32f746"};

/// A schedule of the whole step on a board whose storage wears out, with a certificate.
json solved_exact() {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve(kExact + Words{"--backward", "exact", "--ram-budget", "60%", "--runtime-budget",
                                "20", "--storage-budget", "1M", "--page-out-budget", "1M",
                                "--certify", folder.file("exact.proof")});
  EXPECT_EQ(run.status, 0) << run.err;
  const json file = document(run);
  EXPECT_GT(file.at("summary").at("page_in_count"), 0);
  EXPECT_TRUE(file.at("summary").contains("steps_until_worn"));
  EXPECT_TRUE(file.at("summary").contains("memory"));
  EXPECT_EQ(file.at("summary").at("certified"), true);
  return file;
}

/// It is solved once for all tests.
const json& exact_schedule() {
  static const json kFile = solved_exact();
  return kFile;
}

TEST(Falsified, FieldOfAScheduleOfVersion1IsNoticed) {
  const json file = without_offsets(chain_schedule());
  const Keys always = together({kProvenance, kAsked, kModest});
  // The nodes of version 1 do not say how long a transfer takes; the platform does.
  EXPECT_EQ(unnoticed_in_file(file, By::much),
            together({always, kDerivation, {"/summary/paging_seconds"}}));
  // Only `none` and `explicit` pass: they are no choices of --backward.
  const Keys with_model = together({always, {"/model/backward"}});
  EXPECT_EQ(unnoticed_in_file(file, By::little, kChain), with_model);
}

TEST(Falsified, FieldOfAnExactScheduleWithOffsetsIsNoticed) {
  const json file = exact_schedule();
  const Keys always = together({kProvenance, kAsked, kModest, kLessCertified, kUnused});
  EXPECT_EQ(unnoticed_in_file(file, By::much), together({always, kDerivation, kOfTheBoard}));
  EXPECT_EQ(unnoticed_in_file(file, By::little, kExact), always);
}

TEST(Falsified, DocumentWithoutAScheduleStaysRefused) {
  const json none = document(poet_solve(problem("linear", "m4", "3255", "2")));
  EXPECT_EQ(none.at("status"), "infeasible");
  EXPECT_EQ(unnoticed(none, {},
                      [](const json& changed) {
                        return poet_solve({"verify", "-", "-q"}, changed.dump()).status == 0;
                      }),
            Keys());
}

TEST(Falsified, FiguresThatNeedTheModelAreNamedWithoutIt) {
  const std::string file = exact_schedule().dump();
  EXPECT_THAT(poet_solve({"verify", "-"}, file).err,
              HasSubstr("; not compared without --model and --platform: summary.memory, "
                        "summary.steps_until_worn"));
  EXPECT_THAT(poet_solve(Words{"verify", "-"} + kExact, file).err,
              testing::Not(HasSubstr("not compared")));
  const std::string chain = chain_schedule().dump();
  EXPECT_THAT(poet_solve({"verify", "-"}, chain).err,
              HasSubstr("; not compared without --model and --platform: summary.paging_seconds\n"));
  EXPECT_THAT(poet_solve(Words{"verify", "-"} + kChain, chain).err,
              testing::Not(HasSubstr("not compared")));
}

TEST(Falsified, TimeOfNoTransfersIsNoticed) {
  json file = document(
      poet_solve(kChain + Words{"--ram-budget", "3500", "--runtime-budget", "2", "--no-paging"}));
  EXPECT_EQ(file.at("summary").at("paging_seconds"), 0);
  EXPECT_THAT(poet_solve({"verify", "-"}, file.dump()).err,
              testing::Not(HasSubstr("not compared")));
  file["summary"]["paging_seconds"] = 1;
  const Finished run = poet_solve({"verify", "-"}, file.dump());
  EXPECT_EQ(run.status, 5);
  EXPECT_THAT(run.err, HasSubstr("summary.paging_seconds is 1; the replay says 0"));
}

/// Changes each field of each row of a sweep; the keys of a row that nobody misses.
Keys unnoticed_in_rows(const TemporaryFolder& folder, const std::string& result,
                       const std::string& status) {
  const Lines rows = lines_of(result);
  Keys found;
  int tried = 0;
  By first = By::much;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].at("status") != status) continue;
    ++tried;
    const auto passes = [&](const json& changed) {
      std::string text;
      for (std::size_t o = 0; o < rows.size(); ++o) {
        text += (o == r ? changed : rows[o]).dump() + "\n";
      }
      return poet_solve({"verify", "-q", folder.write("falsified.jsonl", text)}).status == 0;
    };
    found.merge(unnoticed(rows[r], {}, passes, first));
    first = the_other(first);
  }
  EXPECT_GE(tried, 2) << status << ": each field by much in one row, and by little in another";
  return found;
}

TEST(Falsified, FieldOfARowOfASweepIsNoticed) {
  const TemporaryFolder folder;
  const std::string result = folder.file("c.jsonl");
  const Finished run = poet_solve(sweep("linear", "m4", "5%,10%,3256,100%", "2",
                                        {"--output", result, "--schedules", folder.file("s")}));
  ASSERT_EQ(run.status, 0) << run.err;
  ASSERT_EQ(poet_solve({"verify", result}).status, 0);
  // A reason is for people. --collect finds no verdicts: it has what was solved.
  const Keys always{"/origin", "/reason", "/timing/wall_seconds"};
  EXPECT_EQ(unnoticed_in_rows(folder, result, "optimal"), always);
  // Nobody can tell which limits a proof was about, as long as no schedule fits them. A solve that
  // failed claims nothing.
  const Keys limits = together({always, {"/ram_budget_bytes", "/status", "/techniques"}});
  EXPECT_EQ(unnoticed_in_rows(folder, result, "infeasible"), limits);
}

TEST(Falsified, BoundAboveTheEnergyOfATighterPointIsNoticed) {
  const TemporaryFolder folder;
  const std::string result = folder.file("c.jsonl");
  ASSERT_EQ(poet_solve(sweep("linear", "m4", "3256,60%", "2",
                             {"--output", result, "--schedules", folder.file("s")}))
                .status,
            0);
  Lines rows = lines_of(result);
  const double energy = 2 * rows[0].at("energy_joules").get<double>();
  const std::string text = rows[0].dump() + "\n";
  rows[1]["lower_bound_joules"] = energy;
  const Finished found = poet_solve({"verify", folder.write("f.jsonl", text + rows[1].dump())});
  EXPECT_EQ(found.status, 5);
  EXPECT_THAT(found.err, HasSubstr("point 1: its bound of "));
  EXPECT_THAT(found.err, HasSubstr(" of point 0, whose schedule fits its limits"));
}

TEST(Falsified, InfeasibleIsRefutedByTheScheduleOfAnotherPoint) {
  const TemporaryFolder folder;
  const std::string result = folder.file("c.jsonl");
  ASSERT_EQ(poet_solve(sweep("linear", "m4", "10%,3256", "2",
                             {"--output", result, "--schedules", folder.file("s")}))
                .status,
            0);
  Lines rows = lines_of(result);
  rows[0]["ram_budget_bytes"] = 3300;
  const Finished found =
      poet_solve({"verify", folder.write("f.jsonl", rows[0].dump() + "\n" + rows[1].dump())});
  EXPECT_EQ(found.status, 5);
  EXPECT_THAT(found.err,
              HasSubstr("point 0: it is infeasible, but the schedule of point 1 fits its limits"));
}

TEST(Falsified, ResultsOfTwoSweepsInOneFileAreComparedEachByItself) {
  const TemporaryFolder folder;
  std::string both;
  for (const char* gap : {"1e-3", "1e-4"}) {
    const std::string result = folder.file(std::string(gap) + ".jsonl");
    ASSERT_EQ(poet_solve(sweep("linear", "m4", "60%,100%", "2",
                               {"--gap", gap, "--output", result, "--schedules", folder.file(gap)}))
                  .status,
              0);
    both += contents_of(result);
  }
  const Finished run = poet_solve({"verify", folder.write("both.jsonl", both)});
  EXPECT_EQ(run.status, 0) << run.err;
}

}  // namespace
}  // namespace poet::test
