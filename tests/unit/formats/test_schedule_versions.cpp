// Version 2 of the schedule file: which files have it, and what it adds.
#include <initializer_list>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "expect_input_error.hpp"
#include "poet/schedule_file.hpp"
#include "report/summary.hpp"
#include "support/tiny_report.hpp"

namespace poet {
namespace {

using test::keep_all;
using test::page_a;
using test::TinySolve;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kVersion1 = "\"version\": 1,";
constexpr const char* kVersion2 = "\"version\": 2,";

/// A solve whose request is about these limits.
TinySolve limited(Schedule schedule, const Limits& limits) {
  TinySolve solve(std::move(schedule));
  solve.problem.limits = limits;
  solve.request = make_request(limits, Ratio{limits.runtime_budget_seconds / 15},
                               baseline(solve.problem.graph), {});
  return solve;
}

Limits blocking_limits() {
  Limits limits = test::ample_limits();
  limits.runtime_budget_seconds = 24;
  limits.paging_time = PagingTime::blocking;
  limits.storage.storage_budget_bytes = 512;
  limits.storage.page_out_budget_bytes = 1024;
  return limits;
}

/// All attributes, on the tiny graph.
TinySolve with_attributes() {
  Limits limits = blocking_limits();
  limits.ram_budget_bytes = 2000;
  TinySolve solve = limited(page_a(), limits);
  std::vector<Node> nodes = solve.problem.graph.nodes;
  nodes[0].reads_parameters = {"W", "a \"b\""};
  nodes[0].storage_bytes = 512;
  nodes[1].bytes = 100;
  nodes[1].in_place = 0;
  nodes[1].page = false;
  nodes[2].workspace_bytes = 7;
  nodes[3].recompute = false;
  nodes[3].writes_parameters = {"W"};
  solve.problem.graph = make_graph(std::move(nodes));
  return solve;
}

void expect_no_key(const std::string& text, std::initializer_list<std::string> keys) {
  for (const std::string& key : keys) EXPECT_THAT(text, Not(HasSubstr("\"" + key + "\"")));
}

TEST(ScheduleVersion, IsTwoForOffsetsAndNothingElseIsNew) {
  const std::string text = to_json(TinySolve(page_a()).report());
  EXPECT_THAT(text, HasSubstr(kVersion2));
  for (const char* key : {"offset", "slot", "arena_bytes", "storage_bytes"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\"{}\": ", key)));
  }
  expect_no_key(text, {"page_in_seconds", "paging_time", "compute_seconds", "in_place"});
}

TEST(ScheduleVersion, OneHasNoOffsetsAndIsReadAndWrittenAsItWas) {
  const std::string text = to_json(TinySolve(page_a()).unplaced());
  EXPECT_THAT(text, HasSubstr(kVersion1));
  expect_no_key(text, {"page_in_seconds", "paging_time", "compute_seconds", "in_place", "offset",
                       "slot", "arena_bytes", "peak_storage_bytes", "storage_bytes"});
  const ScheduleFile file = parse_schedule_file(text, "f");
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
  EXPECT_EQ(to_json(file), text);
}

TEST(ScheduleVersion, IsTwoForAnyRuleThatPoetDoesNotKnow) {
  const auto version_with = [](auto&& change) {
    TinySolve solve(keep_all());
    change(solve);
    solve.request = make_request(solve.problem.limits, Ratio{}, baseline(solve.problem.graph), {});
    return schedule_version(solve.unplaced());
  };
  EXPECT_EQ(version_with([](TinySolve&) {}), 1);
  EXPECT_EQ(version_with([](TinySolve& s) { s.model.backward = Backward::exact; }), 2);
  EXPECT_EQ(version_with([](TinySolve& s) { s.model.backward = Backward::none; }), 1);
  const auto version_of_limits = [&](auto&& change) {
    return version_with([&](TinySolve& solve) { change(solve.problem.limits); });
  };
  EXPECT_EQ(version_of_limits([](Limits& l) { l.paging_time = PagingTime::overlapped; }), 2);
  EXPECT_EQ(version_of_limits([](Limits& l) { l.storage.storage_budget_bytes = 1; }), 2);
  EXPECT_EQ(version_of_limits([](Limits& l) { l.storage.page_out_budget_bytes = 1; }), 2);
  const auto version_of_node = [&](auto&& change) {
    return version_with([&](TinySolve& solve) { change(solve.problem.graph.nodes[1]); });
  };
  EXPECT_EQ(version_of_node([](Node& n) { n.page_in_seconds = 1; }), 1);
  EXPECT_EQ(version_of_node([](Node& n) { n.workspace_bytes = 1; }), 2);
  EXPECT_EQ(version_of_node([](Node& n) { n.recompute = false; }), 2);
  EXPECT_EQ(version_of_node([](Node& n) { n.page = false; }), 2);
  EXPECT_EQ(version_of_node([](Node& n) { n.reads_parameters = {"W"}; }), 2);
  EXPECT_EQ(version_of_node([](Node& n) { n.storage_bytes = 512; }), 2);
  EXPECT_EQ(version_of_node([](Node& n) { n.storage_bytes = n.bytes; }), 1);
}

TEST(ScheduleVersion, TwoStatesWhatIsNotTheDefault) {
  const std::string text = to_json(with_attributes().report());
  EXPECT_THAT(text, HasSubstr(kVersion2));
  EXPECT_THAT(text,
              HasSubstr("\"backward\": false, \"reads_parameters\": [\"W\", \"a \\\"b\\\"\"], "
                        "\"page_in_seconds\": 3.0, \"page_out_seconds\": 5.0, "
                        "\"storage_bytes\": 512}"));
  EXPECT_THAT(text, HasSubstr("\"backward\": false, \"in_place\": 0, \"page\": false}"));
  EXPECT_THAT(text, HasSubstr("\"backward\": false, \"workspace_bytes\": 7}"));
  EXPECT_THAT(
      text, HasSubstr("\"backward\": true, \"recompute\": false, \"writes_parameters\": [\"W\"]}"));
  EXPECT_THAT(text, HasSubstr("    \"paging_time\": \"blocking\",\n"
                              "    \"storage_budget_bytes\": 512,\n"
                              "    \"page_out_budget_bytes\": 1024\n"));
  EXPECT_THAT(text, HasSubstr("    \"runtime_seconds\": 23.0,\n"));
  EXPECT_THAT(text, HasSubstr("    \"compute_seconds\": 15.0,\n"
                              "    \"compute_runtime_ratio\": 1.0,\n"
                              "    \"peak_storage_bytes\": 512,\n"));
  EXPECT_THAT(text, HasSubstr("{\"op\": \"compute\", \"node\": 1, \"over\": 0, \"offset\": "));
}

TEST(ScheduleVersion, TwoIsReadBackAndVerified) {
  const std::string text = to_json(with_attributes().report());
  const ScheduleFile file = parse_schedule_file(text, "f");
  EXPECT_EQ(to_json(file), text);
  EXPECT_THAT(verify_schedule_file(file), IsEmpty());
  EXPECT_EQ(file.request.limits, with_attributes().problem.limits);
  EXPECT_EQ(graph_sha256(file.graph, true), graph_sha256(with_attributes().problem.graph, true));
}

/// A second less than the schedule takes, and the ratio that belongs to it.
Request short_of_time(Request request) {
  request.limits.runtime_budget_seconds = 22;
  request.runtime_budget_ratio = 22.0 / 15;
  return request;
}

TEST(ScheduleVersion, VerificationChecksTheFiguresOfTwo) {
  const ScheduleFile good = with_attributes().report();
  const auto findings = [&](auto&& change) {
    ScheduleFile bad = good;
    change(bad);
    return verify_schedule_file(bad);
  };
  EXPECT_THAT(findings([](ScheduleFile& f) { f.summary.compute_seconds = 16; }),
              ElementsAre("summary.compute_seconds is 16; the replay says 15"));
  EXPECT_THAT(findings([](ScheduleFile& f) { f.summary.compute_runtime_ratio = 1.5; }),
              ElementsAre(HasSubstr("summary.compute_runtime_ratio is 1.5")));
  EXPECT_THAT(findings([](ScheduleFile& f) { f.summary.peak_storage_bytes = 100; }),
              ElementsAre("summary.peak_storage_bytes is 100; the replay says 512"));
  EXPECT_THAT(findings([](ScheduleFile& f) { f.summary.paging_seconds = 0; }),
              ElementsAre(HasSubstr("summary.paging_seconds")));
  EXPECT_THAT(findings([](ScheduleFile& f) { f.program[2].over.reset(); }),
              ElementsAre(HasSubstr("the stages say compute 1 over 0")));
  EXPECT_THAT(
      findings([](ScheduleFile& f) { f.request.limits.storage.storage_budget_bytes = 511; }),
      ElementsAre(HasSubstr("rule 9 (storage)")));
  EXPECT_THAT(findings([](ScheduleFile& f) { f.request = short_of_time(f.request); }),
              ElementsAre(HasSubstr("rule 6 (runtime)")));
}

TEST(ScheduleVersion, OneWithAKeyOfTwoIsRefused) {
  std::string text = to_json(with_attributes().report());
  text.replace(text.find(kVersion2), std::string(kVersion2).size(), kVersion1);
  EXPECT_THAT(input_error([&] { parse_schedule_file(text, "f"); }),
              HasSubstr("f: /request/paging_time: found a string (\"blocking\"), expected no such "
                        "key in version 1; version 2 has it"));
}

TEST(ScheduleVersion, ThreeIsNotKnown) {
  std::string text = to_json(with_attributes().report());
  text.replace(text.find(kVersion2), std::string(kVersion2).size(), "\"version\": 3,");
  EXPECT_THAT(input_error([&] { parse_schedule_file(text, "f"); }),
              HasSubstr("expected version 1 or 2 of \"poet-schedule\""));
}

TEST(ScheduleVersion, OfADocumentWithoutAScheduleFollowsItsRequest) {
  ProblemInfo problem{.request = with_attributes().request};
  EXPECT_THAT(error_json(ExitCode::infeasible, "infeasible", "no", problem), HasSubstr(kVersion2));
  problem.request->limits.paging_time = PagingTime::free;
  problem.request->limits.storage.storage_budget_bytes.reset();
  problem.request->limits.storage.page_out_budget_bytes.reset();
  EXPECT_THAT(error_json(ExitCode::infeasible, "infeasible", "no", problem), HasSubstr(kVersion1));
}

TEST(ScheduleVersion, AttributesThatMakeNoGraphAreRefusedWithTheirPlace) {
  std::string text = to_json(with_attributes().report());
  const std::string found = "\"in_place\": 0";
  text.replace(text.find(found), found.size(), "\"in_place\": 2");
  EXPECT_THAT(input_error([&] { parse_schedule_file(text, "f"); }),
              HasSubstr("f: /nodes: node 1 ('b'): in_place is 2; expected one of its inputs"));
}

}  // namespace
}  // namespace poet
