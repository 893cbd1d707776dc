#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "expect_input_error.hpp"
#include "io/journal_json.hpp"
#include "io/outcome_json.hpp"
#include "process/child_process.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_sweep.hpp"
#include "sweep/journal.hpp"

namespace poet {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Journal, KeepsItsLines) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  {
    Journal journal = Journal::create(path, "head");
    journal.append("one");
  }
  Journal again = Journal::reopen(path);
  EXPECT_THAT(again.lines(), ElementsAre("head", "one"));
  again.append("two");
  EXPECT_EQ(test::contents_of(path), "head\none\ntwo\n");
  again.remove();
  EXPECT_THAT(folder.contents(), ElementsAre());
}

TEST(Journal, CutsATornLastLineOff) {
  const TemporaryFolder folder;
  const std::string path = folder.write("j", "head\none\n{\"point\": 2, \"ou");
  Journal journal = Journal::reopen(path);
  EXPECT_THAT(journal.lines(), ElementsAre("head", "one"));
  journal.append("two");
  EXPECT_EQ(test::contents_of(path), "head\none\ntwo\n");
}

TEST(Journal, IsNeitherOverwrittenNorInventedNorShared) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  EXPECT_THAT(input_error([&] { Journal::reopen(path); }), HasSubstr("cannot open"));
  const Journal journal = Journal::create(path, "head");
  EXPECT_THAT(input_error([&] { Journal::create(path, "other"); }), HasSubstr("File exists"));
  // The lock is a process's own: only another one finds it taken.
  const ChildExit exit = run_in_child([&](const auto&) { Journal::reopen(path); },
                                      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_THAT(exit.message, HasSubstr("exception"));
}

TEST(Journal, IsNotHeldByAChildThatOutlivesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("j");
  std::optional<Journal> journal(Journal::create(path, "head"));
  Child child([](const auto& send) {
    send(Message(1));
    ::pause();
  });
  child.receive([](const Message&) { return true; });
  journal.reset();
  const ChildExit exit = run_in_child([&](const auto&) { Journal::reopen(path); },
                                      [](const Message&) { return true; }, [] { return true; }, 60);
  EXPECT_TRUE(exit.clean) << exit.message;
}

TEST(JournalJson, ReadsBackWhatItWrote) {
  SweepRequest request{.models = "linear", .ram_budget = "min..100%:16", .gap = 0.1, .seed = 42};
  request.csv = "a,b\"c";
  const SweepOutcome outcome{
      .result = {.status = Status::feasible,
                 .schedule = test::hill_paged(),
                 .energy_joules = 0.1 + 0.2,
                 .lower_bound_joules = 1.0 / 3,
                 .reason = "time",
                 .report = {.formulation = "poet-full", .rows = 3, .wall_seconds = 0.7}},
      .origin = SweepOutcome::Origin::reused,
      .origin_point = 4,
      .wall_seconds = 1.5};
  const MinRam found{.infeasible_below_bytes = 100,
                     .feasible_bytes = 120,
                     .schedule = test::hill_recomputed(),
                     .node = 3,
                     .reason = "time"};
  const JournalContents contents = read_journal(
      {journal_head(request), journal_line(1, found), journal_line(7, 120, outcome)}, "j");
  EXPECT_EQ(contents.request, request);
  ASSERT_EQ(contents.points.size(), 1U);
  EXPECT_EQ(contents.points.at(7).ram_budget_bytes, 120);
  EXPECT_EQ(outcome_json(contents.points.at(7).outcome), outcome_json(outcome));
  EXPECT_EQ(contents.points.at(7).outcome.result.schedule, test::hill_paged());
  EXPECT_EQ(contents.points.at(7).outcome.result.energy_joules, 0.1 + 0.2);
  ASSERT_EQ(contents.min_rams.size(), 1U);
  EXPECT_EQ(contents.min_rams.at(1).schedule, test::hill_recomputed());
  EXPECT_EQ(min_ram_json(contents.min_rams.at(1)), min_ram_json(found));
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
  other.gap = 0.5;
  other.csv = "elsewhere";
  EXPECT_EQ(request_difference({}, {}), "");
  EXPECT_EQ(request_difference(other, {}), "gap: found '0.5', expected '0.0001'");
  other.gap = SweepRequest{}.gap;
  EXPECT_EQ(request_difference(other, {}), "") << "where results go is not part of what they are";
}

}  // namespace
}  // namespace poet
