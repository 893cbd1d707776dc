#include <clocale>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_input_error.hpp"
#include "poet/error.hpp"
#include "poet/schedule_file.hpp"
#include "poet/version.hpp"
#include "support/contents_of.hpp"
#include "support/tiny_report.hpp"

namespace poet {
namespace {

using test::keep_all;
using test::page_a;
using test::TinySolve;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// x -> y -> z and x -> z, with figures that are awkward in binary.
TinySolve three_nodes() {
  TinySolve solve(keep_all());
  solve.problem.graph = make_graph({
      {.name = "x", .op = "conv2d", .bytes = 8, .runtime_seconds = 0.5, .energy_joules = 0.1},
      {.name = "y",
       .op = "relu",
       .bytes = 4,
       .runtime_seconds = 0.25,
       .energy_joules = 1e-9,
       .inputs = {0}},
      {.name = "z \"q\"",
       .op = "gradient",
       .bytes = 2,
       .runtime_seconds = 0.25,
       .energy_joules = 1e-9,
       .inputs = {0, 1},
       .backward = true},
  });
  solve.problem.limits = {.ram_budget_bytes = 14, .runtime_budget_seconds = 1};
  solve.request = {.limits = solve.problem.limits,
                   .runtime_budget_ratio = 1,
                   .settings = {.gap = 1e-4, .time_limit_seconds = 300, .seed = 7}};
  solve.result.schedule = {.stages = {{.compute = {0}},
                                      {.resident = {0}, .compute = {1}},
                                      {.resident = {0, 1}, .compute = {2}}}};
  solve.result.energy_joules = 0.1 + 1e-9 + 1e-9;
  solve.result.lower_bound_joules = solve.result.energy_joules;
  return solve;
}

/// The document of three_nodes(), byte for byte, but for the program's version.
std::string golden_text() {
  std::string text = test::contents_of(POET_TEST_DATA "/schedule_of_three_nodes.json");
  const std::string name = "POET_VERSION";
  return text.replace(text.find(name), name.size(), POET_VERSION);
}

const std::string kGolden = golden_text();

TEST(ScheduleJson, PrettyFormIsByteForByteTheDocumentedOne) {
  EXPECT_EQ(to_json(three_nodes().report()), kGolden);
}

TEST(ScheduleJson, CompactFormIsOneLineOfTheSameDocument) {
  const ScheduleFile report = TinySolve(page_a()).report();
  const std::string compact = to_json(report, true);
  EXPECT_EQ(compact.find('\n'), compact.size() - 1);
  EXPECT_THAT(compact, StartsWith(R"({"format":"poet-schedule","version":2,"code":0,)"));
  EXPECT_EQ(to_json(parse_schedule_file(compact, "compact.json")), to_json(report));
}

TEST(ScheduleJson, ReadingGivesBackEverythingThatWasWritten) {
  const ScheduleFile written = TinySolve(page_a()).report();
  const ScheduleFile read = parse_schedule_file(to_json(written), "tiny.json");
  EXPECT_EQ(to_json(read), to_json(written));
  EXPECT_EQ(read.schedule, written.schedule);
  EXPECT_EQ(read.program, written.program);
  EXPECT_EQ(read.graph.users, written.graph.users);
  EXPECT_EQ(read.graph.first_backward, 3);
  EXPECT_EQ(read.summary.paging_seconds, 8);
  EXPECT_THAT(verify_schedule_file(read), IsEmpty());
}

TEST(ScheduleJson, OnlyAnotherObjectiveThanTheEnergyIsNamed) {
  TinySolve solve(page_a());
  EXPECT_THAT(to_json(solve.report()), testing::Not(HasSubstr("objective")));
  EXPECT_THAT(to_json(solve.report()), testing::Not(HasSubstr("runtime_lower_bound")));
  solve.request.settings.objective = Objective::ram;
  solve.result.bounds = {.runtime_lower_bound_seconds = 0.5, .ram_lower_bound_bytes = 1000};
  const std::string text = to_json(solve.report());
  EXPECT_THAT(text, HasSubstr("\"objective\": \"ram\"\n"));
  EXPECT_THAT(text, HasSubstr("\"runtime_lower_bound_seconds\": 0.5,\n"));
  EXPECT_THAT(text, HasSubstr("\"ram_lower_bound_bytes\": 1000,\n"));
  const ScheduleFile again = parse_schedule_file(text, "again");
  EXPECT_EQ(again.request.settings.objective, Objective::ram);
  EXPECT_EQ(to_json(again), text);
}

TEST(ScheduleJson, APlatformThatIsAbsentIsNull) {
  const TinySolve solve(keep_all());
  const std::string text =
      to_json(make_schedule_file(solve.model, nullptr, solve.problem, solve.request, solve.result));
  EXPECT_THAT(text, HasSubstr("\n  \"platform\": null,\n"));
  EXPECT_FALSE(parse_schedule_file(text, "tiny.json").platform);
}

TEST(ScheduleJson, ASolverIsNamedOnlyWhereItWasNeeded) {
  ScheduleFile report = TinySolve(keep_all()).report();
  report.solver.formulation = "full model";
  EXPECT_THAT(to_json(report),
              HasSubstr("\"name\": \"poet-solve with COIN-OR CBC " POET_CBC_VERSION));
}

TEST(ScheduleJson, AwkwardDoublesRoundTripBitForBit) {
  for (const double awkward :
       {0.1, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0,
        1e23, 0.30000000000000004, 123456789012345680.0}) {
    ScheduleFile report = TinySolve(keep_all()).report();
    report.summary.runtime_seconds = awkward;
    EXPECT_EQ(parse_schedule_file(to_json(report), "t").summary.runtime_seconds, awkward);
  }
}

TEST(ScheduleJson, NumbersAreWrittenWithAPointInEveryLocale) {
  const ScheduleFile report = TinySolve(page_a()).report();
  const std::string expected = to_json(report);
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    if (found == nullptr) found = std::setlocale(LC_NUMERIC, name);
  }
  if (found == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed";
  const std::string written = to_json(report);
  const double read = parse_schedule_file(written, "t").summary.energy_joules;
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(written, expected);
  EXPECT_EQ(read, report.summary.energy_joules);
}

TEST(ScheduleJson, WhatIsNotFiniteIsNeverWritten) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ScheduleFile report = TinySolve(keep_all()).report();
    report.summary.gap = bad;
    EXPECT_THROW(to_json(report), InternalError);
    EXPECT_THROW(to_json(report, true), InternalError);
  }
}

TEST(ScheduleJson, NamesThatAreNotUtf8AreWrittenAllTheSame) {
  ScheduleFile report = TinySolve(keep_all()).report();
  report.model.source = "caf\xE9.json";
  EXPECT_EQ(parse_schedule_file(to_json(report), "t").model.source, "caf\xEF\xBF\xBD.json");
}

TEST(ErrorJson, SaysCodeStatusAndReason) {
  EXPECT_THAT(error_json(ExitCode::infeasible, "infeasible", "too \"small\"", {}),
              StartsWith("{\n  \"format\": \"poet-schedule\",\n  \"version\": 1,\n  \"code\": 3,\n"
                         "  \"status\": \"infeasible\",\n  \"error\": \"too \\\"small\\\"\",\n"));
}

TEST(ErrorJson, SaysNullForWhatWasNotRead) {
  EXPECT_EQ(error_json(ExitCode::usage, "error", "no", {}, true),
            R"({"format":"poet-schedule","version":1,"code":2,"status":"error","error":"no",)"
            R"("model":null,"platform":null,"graph_sha256":null,"request":null})"
            "\n");
}

TEST(ParseReport, QuotesTheErrorOfARunWithoutASchedule) {
  const std::string text =
      error_json(ExitCode::infeasible, "infeasible", "the budget is too small", {});
  EXPECT_EQ(input_error([&] { parse_schedule_file(text, "out.json"); }),
            "out.json: there is no schedule in this file: its run ended with \"the budget is too "
            "small\"");
}

/// The golden text with one occurrence of `from` replaced, and what reading it complains about.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kGolden;
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "the golden text has no " + from;
  text.replace(at, from.size(), to);
  return input_error([&] { parse_schedule_file(text, "s.json"); });
}

TEST(ParseReport, NamesThePathOfWhatIsWrong) {
  EXPECT_THAT(complaint("\"poet-schedule\"", "\"poet-model\""), StartsWith("s.json: /format: "));
  EXPECT_THAT(complaint("\"version\": 2", "\"version\": 3"), StartsWith("s.json: /version: "));
  EXPECT_THAT(complaint("\"code\": 0", "\"code\": 77"),
              StartsWith("s.json: /code: found the number 77, expected an exit status"));
  EXPECT_THAT(complaint("\"optimal\"", "\"best\""),
              StartsWith("s.json: /status: found a string (\"best\"), expected optimal"));
  EXPECT_THAT(complaint("\"batch_size\": 1", "\"batch_size\": 0"),
              StartsWith("s.json: /model/batch_size: "));
  EXPECT_THAT(complaint("\"gap\": 0.0001", "\"gap\": \"0.0001\""),
              StartsWith("s.json: /request/gap: found a string"));
  EXPECT_THAT(complaint("\"paging\": true", "\"paging\": 1"),
              StartsWith("s.json: /request/paging: "));
  EXPECT_THAT(complaint("\"gap\": 0.0,", ""), HasSubstr("s.json: /summary: found no 'gap'"));
  EXPECT_THAT(complaint("\"bytes\": 8", "\"bytes\": -8"), StartsWith("s.json: /nodes/0/bytes: "));
  EXPECT_THAT(complaint("\"inputs\": [0, 1]", "\"inputs\": [0, 2]"),
              HasSubstr("input 2 is not an earlier node"));
  EXPECT_THAT(complaint("\"stage\": 1", "\"stage\": 2"), StartsWith("s.json: /stages/1/stage: "));
  EXPECT_THAT(complaint("\"compute\": [1]", "\"compute\": [1.5]"),
              StartsWith("s.json: /stages/1/compute/0: "));
  EXPECT_THAT(complaint("\"compute\": [1]", "\"compute\": {}"),
              StartsWith("s.json: /stages/1/compute: found an object"));
  EXPECT_THAT(complaint("{\"op\": \"free\"", "{\"op\": \"drop\""),
              StartsWith("s.json: /program/3/op: found a string (\"drop\"), expected compute"));
}

TEST(ParseReport, RefusesUnknownAndMissingKeysEverywhere) {
  for (const char* const key :
       {"sha256", "remat", "peak_ram_bytes", "milp_seconds", "formulation", "op", "backward",
        "page_out", "nodes", "stages", "program", "platform", "summary", "solver", "status"}) {
    const std::string quoted = std::string("\"") + key + "\":";
    EXPECT_THAT(complaint(quoted, "\"misspelt\":"),
                testing::AnyOf(HasSubstr("/misspelt: found an unknown key"),
                               HasSubstr(std::string("found no '") + key + "'")))
        << key;
  }
}

TEST(ParseReport, IndicesOutsideTheGraphAreLeftToTheReplay) {
  std::string text = kGolden;
  text.replace(text.find("\"resident\": [0, 1]"), 18, "\"resident\": [0, 9]");
  const ScheduleFile report = parse_schedule_file(text, "s.json");
  EXPECT_THAT(
      verify_schedule_file(report),
      testing::Contains(EndsWith("resident lists 9, which is not a node of the graph (0 to 2)")));
}

TEST(ParseReport, EveryTruncationIsAnInputError) {
  for (std::size_t length = 0; length + 2 < kGolden.size(); length += 7) {
    EXPECT_THROW(parse_schedule_file(kGolden.substr(0, length), "s.json"), InputError) << length;
  }
}

}  // namespace
}  // namespace poet
