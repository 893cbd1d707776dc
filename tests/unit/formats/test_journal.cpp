#include <nlohmann/json.hpp>

#include "expect_input_error.hpp"
#include "formats/journal.hpp"
#include "formats/json/json_fields.hpp"
#include "support/tiny_sweep.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(JournalJson, ReadsBackWhatItWrote) {
  SweepRequest request{
      .models = "linear", .ram_budget = "min..100%:16", .settings = {.gap = 0.1, .seed = 42}};
  request.csv = "a,b\"c";
  const SweepOutcome outcome{
      .result = {.status = Status::feasible,
                 .schedule = test::hill_paged(),
                 .energy_joules = 0.1 + 0.2,
                 .lower_bound_joules = 1.0 / 3,
                 .reason = "time",
                 .statistics = {.formulation = "poet-full", .rows = 3, .wall_seconds = 0.7}},
      .origin = SweepOutcome::Origin::reused,
      .origin_point = 4,
      .wall_seconds = 1.5};
  const MinRam found{.infeasible_below_bytes = 100,
                     .feasible_bytes = 120,
                     .schedule = test::hill_recomputed(),
                     .node = 3,
                     .reason = "time"};
  const Provenance from{.program_sha256 = "ab", .graph_sha256 = "cd"};
  const JournalContents contents =
      read_journal({journal_head(request), journal_line(1, {.program_sha256 = "ab"}, found),
                    journal_line(7, from, 120, outcome), journal_end("ef")},
                   "j");
  EXPECT_EQ(contents.result_sha256, "ef");
  EXPECT_EQ(contents.request, request);
  ASSERT_EQ(contents.points.size(), 1U);
  EXPECT_EQ(contents.points.at(7).ram_budget_bytes, 120);
  EXPECT_TRUE(contents.points.at(7).from.same_program(from));
  EXPECT_TRUE(contents.points.at(7).from.same_graph(from));
  EXPECT_EQ(json_of(contents.points.at(7).outcome), json_of(outcome));
  EXPECT_EQ(contents.points.at(7).outcome.result.schedule, test::hill_paged());
  EXPECT_EQ(contents.points.at(7).outcome.result.energy_joules, 0.1 + 0.2);
  ASSERT_EQ(contents.min_rams.size(), 1U);
  EXPECT_EQ(contents.min_rams.at(1).found.schedule, test::hill_recomputed());
  EXPECT_EQ(json_of(contents.min_rams.at(1).found), json_of(found));
}

// Its points are only some of what it knows.
TEST(JournalJson, OfAnOlderVersionThatGoesOnWithRowsIsRefused) {
  json head = json::parse(journal_head({.models = "linear"}));
  head["request"]["continues"] = true;
  EXPECT_THAT(input_error([&] { read_journal({head.dump()}, "j"); }),
              HasSubstr("j line 1: /request/continues: found"));
}

TEST(JournalJson, HasBudgetsAsText) {
  SweepRequest request{.models = "linear"};
  request.paging_time = PagingTime::blocking;
  request.storage = {.storage_budget_bytes = 65536, .page_out_budget_bytes = 0};
  request.order_file = "o.json";
  std::string head = journal_head(request);
  const std::string budget = R"("storage_budget":"65536",)";
  EXPECT_THAT(head, HasSubstr(R"("paging_time":"blocking",)" + budget +
                              R"("page_out_budget":"0","order_file":"o.json")"));
  EXPECT_EQ(read_journal({head}, "j").request, request);
  EXPECT_THAT(journal_head({}), testing::Not(HasSubstr("storage_budget")));
  // Older versions wrote a size as the user had.
  head.replace(head.find(budget), budget.size(), R"("storage_budget":"64K",)");
  EXPECT_EQ(read_journal({head}, "j").request, request);
  head.replace(head.find("64K"), 3, "all");
  EXPECT_THAT(input_error([&] { read_journal({head}, "j"); }),
              HasSubstr("/request/storage_budget: found a string (\"all\"), expected a size"));
}

TEST(JournalJson, SaysHowABudgetDiffers) {
  SweepRequest request;
  request.storage.page_out_budget_bytes = 2048;
  EXPECT_EQ(request_difference(request, {}), "page_out_budget: found '2048', expected ''");
}

TEST(JournalJson, AnotherRequestReopensWhatWasFoundBefore) {
  const SweepRequest hasty{.models = "linear", .settings = {.time_limit_seconds = 1}};
  SweepRequest patient = hasty;
  patient.settings.time_limit_seconds = 100;
  const JournalContents contents = read_journal(
      {journal_head(hasty), journal_line(0, {}, 120, {}), journal_line(0, {}, MinRam{}),
       journal_change(patient), journal_line(1, {}, 130, {})},
      "j");
  EXPECT_EQ(contents.request, patient);
  EXPECT_TRUE(contents.points.at(0).reopened);
  EXPECT_TRUE(contents.min_rams.at(0).reopened);
  EXPECT_FALSE(contents.points.at(1).reopened);
}

TEST(JournalJson, TheLaterLineAboutAThingCounts) {
  const JournalContents contents =
      read_journal({journal_head({}), journal_line(0, {.program_sha256 = "ab"}, 120, {}),
                    journal_line(0, {.program_sha256 = "cd"}, 130, {})},
                   "j");
  EXPECT_EQ(contents.points.at(0).ram_budget_bytes, 130);
  EXPECT_EQ(contents.points.at(0).from.program_sha256, "cd");
}

TEST(JournalJson, OfAnOlderVersionDoesNotSayWhoFoundWhat) {
  json head = json::parse(journal_head({}));
  head["request"]["program_version"] = "0.1.0";
  json line = json::parse(journal_line(3, {.program_sha256 = "ab"}, 120, {}));
  line.erase("program_sha256");
  line.erase("graph_sha256");
  const JournalContents contents = read_journal({head.dump(), line.dump()}, "j");
  const Provenance& from = contents.points.at(3).from;
  EXPECT_FALSE(from.same_program(from)) << "what is unknown is nobody's";
  EXPECT_FALSE(from.same_graph(from));
}

TEST(JournalJson, NamesTheLineThatIsWrong) {
  const std::string head = journal_head({});
  EXPECT_THAT(input_error([] { read_journal({}, "j"); }), HasSubstr("empty journal"));
  EXPECT_THAT(input_error([] { read_journal({"{}"}, "j"); }), HasSubstr("j line 1"));
  EXPECT_THAT(input_error([&] {
                read_journal({head, "{\"point\": 1"}, "j");
              }),
              HasSubstr("j line 2"));
  EXPECT_THAT(input_error([&] {
                read_journal({head, R"({"point": -1, "ram_budget_bytes": 1, "outcome": {}})"}, "j");
              }),
              HasSubstr("j line 2: /point"));
}

TEST(JournalJson, SaysHowARequestDiffers) {
  SweepRequest other;
  other.settings.gap = 0.5;
  other.csv = "elsewhere";
  EXPECT_EQ(request_difference({}, {}), "");
  EXPECT_EQ(request_difference(other, {}), "gap: found '0.5', expected '0.0001'");
  other.settings.gap = SolveSettings{}.gap;
  EXPECT_EQ(request_difference(other, {}), "") << "where results go is not part of what they are";
}

}  // namespace
}  // namespace poet
