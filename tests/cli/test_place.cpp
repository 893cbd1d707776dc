#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

/// A schedule of the exact linear model, with recomputation.
std::string schedule() {
  static const Finished run = poet_solve(problem("linear", "m4", "60%", "2") +
                                         Words{"--backward", "exact", "--effort", "fast"});
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

Finished place_file(const std::string& text, const Words& options = {}) {
  return poet_solve(Words{"place", "-"} + options, text);
}

TEST(PlaceCommand, GivesEveryTensorAnOffsetWithinTheBudget) {
  const Finished run = place_file(schedule());
  ASSERT_EQ(run.status, 0) << run.err;
  const json file = document(run);
  EXPECT_EQ(file.at("version"), 2);
  EXPECT_LE(file.at("summary").at("arena_bytes"), file.at("request").at("ram_budget_bytes"));
  for (const json& step : file.at("program")) {
    const bool opens = step.at("op") == "compute" || step.at("op") == "page_in";
    EXPECT_EQ(step.contains("offset"), opens) << step;
  }
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
  EXPECT_EQ(place_file(run.out).out, run.out) << "a placed file stays";
}

/// A solve's schedule of POET's chain as it was before it had offsets.
json version_1() {
  json file = document(poet_solve(quick_problem()));
  EXPECT_EQ(file.at("version"), 2);
  file["version"] = 1;
  for (const char* key : {"arena_bytes", "storage_bytes", "peak_storage_bytes"}) {
    file["summary"].erase(key);
  }
  for (json& step : file["program"]) {
    for (const char* key : {"offset", "slot"}) step.erase(key);
  }
  return file;
}

TEST(PlaceCommand, GivesAScheduleOfVersion1TheOffsetsOfANewOne) {
  const std::string old = version_1().dump();
  EXPECT_EQ(poet_solve({"verify", "-"}, old).status, 0);
  const Finished run = place_file(old);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(document(run).at("version"), 2);
  EXPECT_EQ(document(run).at("program"), document(poet_solve(quick_problem())).at("program"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

/// Nodes of 1 J and 1 s each, with a peak of 96 bytes in which no offsets fit. `last` is what the
/// last node reads.
std::string tight_model(const json& last) {
  const std::vector<int> bytes = {20, 32, 28, 16, 36, 4, 12, 32, 4, 16, 36, 8, 28};
  const json inputs = {{}, {0}, {0}, {1, 2}, {1}, {4}, {0, 5}, {1}, {1}, {6, 7}, {5, 7}, {9}, last};
  json nodes = json::array();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    json names = json::array();
    for (const int input : inputs[i]) names.push_back("n" + std::to_string(input));
    nodes.push_back({{"name", "n" + std::to_string(i)},
                     {"bytes", bytes[i]},
                     {"runtime_seconds", 1},
                     {"energy_joules", 1},
                     {"page_in_energy_joules", 1},
                     {"page_out_energy_joules", 1},
                     {"inputs", names},
                     {"backward", 2 * i >= bytes.size()}});
  }
  return json({{"format", "poet-model"}, {"version", 1}, {"name", "tight"}, {"nodes", nodes}})
      .dump();
}

Finished solve_tight(const json& last) {
  const Finished run = poet_solve({"--model", "-", "--ram-budget", "100%", "--runtime-budget", "2"},
                                  tight_model(last));
  EXPECT_EQ(run.status, 0) << run.err;
  return run;
}

TEST(PlaceCommand, FindsMovesInASolveThatNeedsThem) {
  const Finished run = solve_tight({7});
  EXPECT_THAT(run.err, HasSubstr("found no offsets that fit without moves"));
  const json file = document(run);
  EXPECT_EQ(file.at("summary").at("arena_bytes"), 96);
  EXPECT_GT(file.at("summary").at("moved_bytes"), 0);
  EXPECT_EQ(file.at("summary").at("energy_joules"), 13);
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
  EXPECT_EQ(document(solve_tight({7})).at("program"), file.at("program"));
}

TEST(PlaceCommand, SolvesAgainInLessRamIfNothingMayBeMoved) {
  const Finished run = place_file(solve_tight({7}).out, {"--no-moves"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stdin: found no offsets that fit 96 bytes without moves; solved "
                                 "again within "));
  EXPECT_THAT(run.err, HasSubstr(" instead of 13 J (+"));
  const json file = document(run);
  EXPECT_EQ(file.at("status"), "feasible");
  EXPECT_EQ(file.at("request").at("ram_budget_bytes"), 96);
  EXPECT_EQ(file.at("summary").at("lower_bound_joules"), 13);
  EXPECT_GT(file.at("summary").at("energy_joules"), 13);
  EXPECT_LE(file.at("summary").at("arena_bytes"), 96);
  EXPECT_FALSE(file.at("summary").contains("moved_bytes"));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
}

// One node needs all of the RAM with its inputs, so that no budget is smaller.
TEST(PlaceCommand, EndsWith5IfNoScheduleIsLeftInLessRam) {
  const Finished run = place_file(solve_tight({7, 10}).out, {"--no-moves"});
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("stdin: no schedule is left within "));
  EXPECT_THAT(run.err, HasSubstr("proven: no offsets fit 96 bytes without moves"));
}

/// Whether something is moved between its transfer and the end of that stage.
bool moves_in_flight(const json& program) {
  std::set<int> in_flight;
  int stage = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const std::string op = program[at].at("op");
    const int node = program[at].at("node");
    if (op == "page_out" || op == "page_in") in_flight.insert(node);
    if (op == "move" && in_flight.contains(node)) return true;
    if (op != "compute" || node != stage) continue;
    ++stage;
    in_flight.clear();
  }
  return false;
}

TEST(PlaceCommand, LeavesTensorsInFlightWhereTheyAre) {
  const Finished run = poet_solve({"verify", POET_TEST_DATA "/cases/move_in_flight.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const json file = document(run);
  EXPECT_EQ(file.at("summary").at("arena_bytes"), file.at("summary").at("peak_ram_bytes"));
  EXPECT_GT(file.at("summary").at("moved_bytes"), 0) << "the case needs moves";
  EXPECT_FALSE(moves_in_flight(file.at("program")));
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
  EXPECT_EQ(place_file(run.out).out, run.out);
}

// Older versions wrote such files.
TEST(PlaceCommand, GivesOtherOffsetsToAFileThatMovesWhatIsTransferred) {
  const Finished run = poet_solve({"verify", POET_TEST_DATA "/cases/move_in_flight.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  json file = document(run);
  json& program = file["program"];
  const auto out = std::find_if(program.begin(), program.end(),
                                [](const json& step) { return step.at("op") == "page_out"; });
  ASSERT_NE(out, program.end());
  const int node = out->at("node");
  json move = {{"op", "move"}, {"node", node}, {"offset", 0}};
  for (auto step = program.begin(); step != out; ++step) {
    if (step->at("node") == node && step->contains("offset")) move["offset"] = step->at("offset");
  }
  program.insert(out + 1, move);
  const std::int64_t bytes = file["nodes"][node]["bytes"];
  file["summary"]["moved_bytes"] = bytes + file["summary"]["moved_bytes"].get<std::int64_t>();
  const Finished verified = poet_solve({"verify", "-"}, file.dump());
  EXPECT_EQ(verified.status, 5);
  EXPECT_THAT(verified.err, HasSubstr("is moved while it is transferred"));
  EXPECT_EQ(place_file(file.dump()).out, run.out);
}

TEST(PlaceCommand, RefusesCopiesThatAreSmallerThanTheirTensors) {
  const Finished stages = poet_solve({"verify", POET_TEST_DATA "/cases/storage_below_bytes.json"});
  EXPECT_EQ(stages.status, 2);
  EXPECT_THAT(stages.err, HasSubstr("storage_bytes is 4; expected at least its bytes, 64"));
  json file = document(place_file(schedule()));
  file["version"] = 2;
  file["nodes"][0]["storage_bytes"] = 1;
  for (const char* command : {"verify", "place"}) {
    const Finished run = poet_solve({command, "-"}, file.dump());
    EXPECT_EQ(run.status, 2) << command;
    EXPECT_THAT(run.err, HasSubstr("storage_bytes is 1; expected at least its bytes")) << command;
  }
}

/// Solves the problem that needs moves on a board with RAM of this rate.
Finished solve_on_board(const TemporaryFolder& folder, const json& rate) {
  json board = {{"format", "poet-platform"},
                {"version", 1},
                {"name", "board"},
                {"flops_per_second", 1e6},
                {"flops_per_joule", 1e6},
                {"page_in", {{"latency_seconds", 0}, {"bytes_per_second", 1e6}}},
                {"page_out", {{"latency_seconds", 0}, {"bytes_per_second", 1e6}}},
                {"memory_power_watts", 1},
                {"cpu_power_watts", 0.5}};
  if (!rate.is_null()) board["memory_bytes_per_second"] = rate;
  const std::string path = folder.write("board.json", board.dump());
  return poet_solve({"--model", "-", "--platform", path, "--ram-budget", "100%", "--runtime-budget",
                     "2", "--moves", "free"},
                    tight_model({7}));
}

TEST(PlaceCommand, PricesMovesOutsideTheFiguresOfTheStep) {
  const TemporaryFolder folder;
  const Finished plain = solve_on_board(folder, nullptr);
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_FALSE(document(plain).at("summary").contains("moved_seconds"));
  EXPECT_FALSE(document(plain).at("summary").contains("moved_joules"));
  EXPECT_THAT(plain.err, Not(HasSubstr("the moves take")));
  const Finished slow = solve_on_board(folder, 100);
  json summary = document(slow).at("summary");
  const double seconds = 2 * summary.at("moved_bytes").get<double>() / 100;
  EXPECT_EQ(summary.at("moved_seconds"), seconds);
  EXPECT_EQ(summary.at("moved_joules"), 0.5 * seconds);
  EXPECT_THAT(slow.err, HasSubstr("the moves take "));
  EXPECT_EQ(poet_solve({"verify", "-"}, slow.out).status, 0);
  EXPECT_EQ(place_file(slow.out).out, slow.out) << "the platform is found again";
  summary.erase("moved_seconds");
  summary.erase("moved_joules");
  EXPECT_EQ(summary, document(plain).at("summary"));
  const Finished fast = solve_on_board(folder, 1e9);
  EXPECT_GT(document(fast).at("summary").at("moved_seconds"), 0);
  EXPECT_THAT(fast.err, Not(HasSubstr("the moves take")));
}

TEST(PlaceCommand, SaysByHowMuchRoundingExceedsTheBudget) {
  const Finished solved =
      poet_solve({"--model", "-", "--ram-budget", "60", "--runtime-budget", "1"}, measured_model());
  ASSERT_EQ(solved.status, 0) << solved.err;
  EXPECT_EQ(document(solved).at("summary").at("arena_bytes"), 64);
  EXPECT_THAT(solved.err, HasSubstr("the offsets need 4 bytes more than the RAM budget"));
  const Finished placed = place_file(solved.out);
  EXPECT_EQ(placed.out, solved.out);
  EXPECT_THAT(placed.err, HasSubstr("and rounding adds 4"));
  EXPECT_EQ(place_file(solved.out, {"--capacity", "63"}).status, 5);
}

TEST(PlaceCommand, EndsWith5IfNothingFits) {
  const Finished run = place_file(schedule(), {"--capacity", "100"});
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("the capacity is 100 bytes"));
}

TEST(PlaceCommand, NamesWhatToUseForTables) {
  const Finished gone = place_file(schedule(), {"--csv"});
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("--csv: found a removed option: "));
  EXPECT_THAT(gone.err, HasSubstr("poet_place_bench"));
}

TEST(PlaceCommand, RefusesBadNumbers) {
  EXPECT_EQ(place_file(schedule(), {"--capacity", "x"}).status, 2);
  EXPECT_EQ(place_file(schedule(), {"--alignment", "3"}).status, 2);
}

}  // namespace
}  // namespace poet::test
