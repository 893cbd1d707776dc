// The time of transfers and the limits of secondary storage, as a user asks for them.
#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// Its cheapest schedule pages.
Words paging_problem() {
  return problem("linear", "a72", "3300", "1.5");
}

nlohmann::json solved(const Words& more) {
  const Finished run = poet_solve(paging_problem() + more);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(poet_solve({"verify", "-"}, run.out).status, 0);
  return document(run);
}

TEST(PagingTime, FreeIsTheDefault) {
  const auto usual = solved({});
  EXPECT_FALSE(usual.at("request").contains("paging_time"));
  EXPECT_GT(usual.at("summary").at("page_in_count"), 0);
  const auto free = solved({"--paging-time", "free"});
  EXPECT_EQ(free.at("stages"), usual.at("stages"));
  EXPECT_EQ(free.at("summary"), usual.at("summary"));
  EXPECT_EQ(free.at("request"), usual.at("request"));
}

TEST(PagingTime, BlockingAddsTheTimeOfTransfers) {
  const Finished run = poet_solve(paging_problem() + Words{"--paging-time", "blocking"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto file = document(run);
  EXPECT_EQ(file.at("version"), 2);
  EXPECT_EQ(file.at("request").at("paging_time"), "blocking");
  const auto summary = file.at("summary");
  const double computing = summary.at("compute_seconds");
  const double paging = summary.at("paging_seconds");
  EXPECT_NEAR(summary.at("runtime_seconds"), computing + paging, 1e-9 * (computing + paging));
  EXPECT_LE(summary.at("runtime_ratio"), 1.5 * (1 + 1e-9));
  EXPECT_GE(summary.at("energy_joules"), solved({}).at("summary").at("energy_joules"));
  EXPECT_THAT(run.err, HasSubstr(" of transfers, blocking"));
}

TEST(PagingTime, OverlappedTakesNoLongerThanBlockingWould) {
  const auto summary = solved({"--paging-time", "overlapped"}).at("summary");
  const double computing = summary.at("compute_seconds");
  const double paging = summary.at("paging_seconds");
  const double runtime = summary.at("runtime_seconds");
  EXPECT_GE(runtime, computing * (1 - 1e-9));
  EXPECT_LE(runtime, (computing + paging) * (1 + 1e-9));
}

TEST(PagingTime, StorageBudgetsAreKeptTo) {
  const auto file = solved({"--storage-budget", "1K", "--page-out-budget", "2KiB"});
  EXPECT_EQ(file.at("version"), 2);
  EXPECT_EQ(file.at("request").at("storage_budget_bytes"), 1024);
  EXPECT_EQ(file.at("request").at("page_out_budget_bytes"), 2048);
  EXPECT_LE(file.at("summary").at("peak_storage_bytes"), 1024);
  EXPECT_LE(file.at("summary").at("page_out_bytes"), 2048);
}

TEST(PagingTime, BadWordsAndSizesAreRefused) {
  const auto error = [](const Words& more) {
    const Finished run = poet_solve(paging_problem() + more);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_THAT(error({"--paging-time", "sometimes"}),
              HasSubstr("--paging-time: found 'sometimes'; expected free, blocking or overlapped"));
  EXPECT_THAT(error({"--storage-budget", "60%"}),
              HasSubstr("--storage-budget: found '60%', expected a size"));
  EXPECT_THAT(error({"--page-out-budget", "-1"}),
              HasSubstr("--page-out-budget: found '-1', expected a size"));
}

TEST(PagingTime, IsNotChargedIfNobodyKnowsIt) {
  const Finished run = poet_solve({"--model", "-", "--ram-budget", "100%", "--runtime-budget", "2",
                                   "--paging-time", "overlapped"},
                                  measured_model());
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--paging-time: found 'overlapped', but a model without a "
                                 "platform does not say how long transfers take"));
}

Words paging_sweep(const Words& more) {
  return sweep("linear", "a72", "3300,60%", "1.5", more);
}

TEST(PagingTime, IsPartOfWhatASweepIsAbout) {
  const Finished free = poet_solve(paging_sweep({}));
  EXPECT_THAT(free.out, Not(HasSubstr("paging_time")));
  const Finished run = poet_solve(paging_sweep({"--paging-time", "blocking"}));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const auto& row : as_lines(run.out)) {
    EXPECT_EQ(row.at("paging_time"), "blocking");
    EXPECT_NE(row.at("graph_sha256"), as_lines(free.out).front().at("graph_sha256"));
    EXPECT_TRUE(row.contains("compute_seconds"));
  }
}

TEST(PagingTime, ASweepIsNotResumedWithAnother) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.jsonl");
  const Words blocking{"--paging-time", "blocking", "--storage-budget", "64K"};
  EXPECT_EQ(poet_solve(paging_sweep(blocking + Words{"--output", path})).status, 0);
  // With what it was made with, it goes on.
  const Words looser{"--gap", "0.01", "--resume", path};
  EXPECT_EQ(poet_solve(Words{"sweep"} + looser).status, 0);
  const Finished other = poet_solve(paging_sweep(Words{"--storage-budget", "64K"} + looser));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("belongs to another sweep: paging_time: found ''"));
}

TEST(PagingTime, SingleSolvesOfASweepHaveIt) {
  const TemporaryFolder folder;
  const Finished run = poet_solve(
      paging_sweep({"--paging-time", "overlapped", "--schedules", folder.path(), "--dry-run"}));
  EXPECT_THAT(run.out, HasSubstr(" --paging-time overlapped "));
}

}  // namespace
}  // namespace poet::test
