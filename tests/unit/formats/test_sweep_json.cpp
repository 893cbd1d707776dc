#include <limits>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "expect_input_error.hpp"
#include "formats/write_sweep.hpp"
#include "support/tiny_sweep.hpp"

namespace poet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SweepGrid grid() {
  SweepGrid result;
  result.subjects.push_back(test::subject_of(test::hill_graph(), "a, \"hill\""));
  return result;
}

/// A point with a schedule and one without.
std::vector<SweepRow> rows() {
  const std::vector<SweepPoint> points{test::point_of(150), test::point_of(119)};
  const SolveSettings settings{.gap = 0.5, .time_limit_seconds = 10};
  SweepRow fine =
      make_result(grid(), points, 0, test::solved(test::hill_recomputed(), 6, 5.5), settings).row;
  fine.schedule_file = "runs/0000.json";
  fine.status = SweepRow::Status::feasible;
  return {fine, make_result(grid(), points, 1, test::infeasible(), settings).row};
}

TEST(SweepJson, ReadsBackWhatItWrote) {
  const std::string text = to_json_lines(rows());
  const std::vector<SweepRow> again = parse_sweep(text, "s");
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(to_json_lines(again), text);
  EXPECT_EQ(again[0].problem, rows()[0].problem);
  EXPECT_EQ(again[0].summary->energy_joules, 6);
  EXPECT_EQ(again[0].summary->ram_budget_bytes, 150);
  EXPECT_FALSE(again[1].summary);
  EXPECT_EQ(again[1].reason, "no room");
}

TEST(SweepJson, FiguresOfAScheduleMayLieOutsideTheRangeOfInputs) {
  std::vector<SweepRow> written = rows();
  written[0].summary->gap = -1e-16;
  written[0].summary->page_out_bytes = std::numeric_limits<Bytes>::max();
  const std::string text = to_json_lines(written);
  EXPECT_EQ(to_json_lines(parse_sweep(text, "s")), text);
}

TEST(SweepJson, ReadsOlderRowsWithoutTheGapOfTheExtraEnergy) {
  std::vector<SweepRow> older = rows();
  EXPECT_TRUE(older[0].summary->gap_extra);
  EXPECT_THAT(to_json_lines(older), HasSubstr("\"gap_extra\":"));
  EXPECT_THAT(to_csv(older), HasSubstr(",gap,gap_extra,runtime_seconds,"));
  older[0].summary->gap_extra.reset();
  older.resize(1);
  const std::string text = to_json_lines(older);
  EXPECT_THAT(text, testing::Not(HasSubstr("gap_extra")));
  EXPECT_EQ(to_json_lines(parse_sweep(text, "s")), text);
}

TEST(SweepJson, NamesTheTimeOfTransfersIfItIsCharged) {
  SweepGrid charged = grid();
  charged.subjects[0].limits = {.paging_time = PagingTime::blocking,
                                .storage = {.storage_budget_bytes = 512}};
  SweepPoint point = test::point_of(150);
  point.limits.paging_time = PagingTime::blocking;
  point.limits.storage.storage_budget_bytes = 512;
  std::vector<SweepRow> written = rows();
  written.push_back(
      make_result(charged, {point}, 0, test::solved(test::hill_recomputed(), 6, 5.5), {}).row);
  written[2].status = SweepRow::Status::feasible;
  EXPECT_NE(written[2].problem.graph_sha256, written[0].problem.graph_sha256);
  const std::string text = to_json_lines(written);
  EXPECT_THAT(text, HasSubstr("\"paging_time\":\"blocking\",\"storage_budget_bytes\":512,"));
  EXPECT_THAT(to_json_lines(rows()), testing::Not(HasSubstr("paging_time")));
  EXPECT_THAT(to_json_lines(rows()), testing::Not(HasSubstr("compute_seconds")));
  const std::vector<SweepRow> again = parse_sweep(text, "s");
  EXPECT_EQ(again[2].problem, written[2].problem);
  EXPECT_EQ(again[2].summary->compute_seconds, written[2].summary->compute_seconds);
  EXPECT_EQ(to_json_lines(again), text);
  EXPECT_THAT(to_csv(written), HasSubstr(",paging_time,storage_budget_bytes,ram_budget_bytes,"));
  EXPECT_THAT(to_csv(rows()), testing::Not(HasSubstr("paging_time")));
}

TEST(SweepJson, RefusesWhatContradictsItself) {
  const std::string text = to_json_lines(rows());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    const std::size_t at = copy.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return copy.replace(at, from.size(), to);
  };
  const auto error = [](const std::string& lines) {
    return input_error([&] { parse_sweep(lines, "s"); });
  };
  EXPECT_THAT(error(changed("\"feasible\"", "\"infeasible\"")), HasSubstr("/energy_joules"));
  EXPECT_THAT(error(changed("\"infeasible\"", "\"optimal\"")), HasSubstr("s line 2"));
  EXPECT_THAT(error(changed("\"feasible\"", "\"fine\"")), HasSubstr("/status"));
  EXPECT_THAT(error(changed("\"point\":0", "\"pint\":0")), HasSubstr("did you mean 'point'?"));
  EXPECT_THAT(error(changed("poet-sweep", "poet-weep")), HasSubstr("/format"));
  EXPECT_THAT(error("\n"), HasSubstr("no points"));
}

TEST(SweepJson, RefusesFiguresOfAScheduleThatIsNotThere) {
  const std::string text = to_json_lines({rows()[1]});
  for (const char* key : {"lower_bound_joules", "gap", "peak_ram_bytes", "page_in_bytes"}) {
    SCOPED_TRACE(key);
    std::string copy = text;
    const std::string null = fmt::format("\"{}\":null", key);
    const std::size_t at = copy.find(null);
    ASSERT_NE(at, std::string::npos);
    copy.replace(at, null.size(), fmt::format("\"{}\":1", key));
    EXPECT_THAT(input_error([&] { parse_sweep(copy, "s"); }),
                HasSubstr(fmt::format(
                    "/{}: found the number 1, expected null: there is no schedule", key)));
  }
}

TEST(SweepCsv, HasALineOfKeysAndQuotesWhatItMust) {
  const std::string text = to_csv(rows());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, StartsWith("point,status,model,"));
  EXPECT_THAT(text, HasSubstr("\n0,feasible,\"a, \"\"hill\"\"\",ab,"));
  EXPECT_THAT(text, testing::Not(HasSubstr("timing")));
  EXPECT_THAT(text, testing::EndsWith(",,,no room\n"));
}

TEST(ShellQuoted, LeavesPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(shell_quoted("runs/0001-a_b.json"), "runs/0001-a_b.json");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(rm)"), "'$(rm)'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
  EXPECT_EQ(shell_command({"a", "b c", "d"}), "a 'b c' d");
}

}  // namespace
}  // namespace poet
