// The script for Slurm, with stand-ins for Slurm's programs.
#include <filesystem>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

/// Runs the tasks of an array one after the other, and at once.
constexpr const char* kSbatch = R"(#!/bin/bash
for word; do script=$word; done
first=0 last=0
for word; do
  case $word in --array=*) range=${word#*=}; range=${range%\%*}; first=${range%-*} last=${range#*-} ;; esac
done
echo "$*" >> calls
echo 17
status=0
for ((task = first; task <= last; ++task)); do
  SLURM_ARRAY_TASK_ID=$task bash "$script" </dev/null || status=$?
done
case $* in *--wait*) exit $status ;; esac
exit 0
)";

class SlurmExample : public testing::Test {
 protected:
  SlurmExample() {
    write_program("bin/sbatch", kSbatch);
    write_program("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize            = 3'\n");
  }

  void write_program(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_.file("bin"));
    std::filesystem::permissions(folder_.write(name, text), std::filesystem::perms::owner_all);
  }

  Finished submit(const Words& arguments, const std::string& program = POET_SOLVE) const {
    const char* path = std::getenv("PATH");
    return run_program(
        {.program = POET_SOURCE_DIR "/scripts/examples/slurm_sweep.sh",
         .arguments = arguments,
         .environment = {{"POET_SOLVE", program},
                         {"PATH", folder_.file("bin") + ":" + (path == nullptr ? "/bin" : path)}},
         .directory = folder_.path()});
  }

  static Words grid() {
    return {"--models",     "linear",          "--platforms",      "m4",
            "--ram-budget", "40%,44%,60%,80%", "--runtime-budget", "2"};
  }

  TemporaryFolder folder_;
};

TEST_F(SlurmExample, CollectsTheRowsOfMorePointsThanAnArrayHasTasks) {
  const Finished run = submit(Words{"--wait", "--at-once", "2", "it's a run"} + grid() +
                              Words{"--csv", "rows.csv", "--", "--partition=a b"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("4 points in the 3 tasks of job 17"));
  const Lines lines = lines_of(folder_.file("it's a run/rows.jsonl"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].at("status"), "infeasible");
  for (std::size_t p = 1; p < lines.size(); ++p) EXPECT_EQ(lines[p].at("status"), "optimal") << p;
  EXPECT_TRUE(std::filesystem::exists(folder_.file("rows.csv")));
  EXPECT_THAT(contents_of(folder_.file("it's a run/logs/0")), HasSubstr("infeasible"));
  EXPECT_EQ(contents_of(folder_.file("calls")),
            "--parsable --array=0-2%2 --partition=a b it's a run/point.sh\n"
            "--wait --dependency=afterany:17 --partition=a b it's a run/collect.sh\n");
}

TEST_F(SlurmExample, APointThatCrashesIsARowAndTheOthersAreCollected) {
  write_program("bin/crashing",
                "#!/bin/bash\n[[ $* != *' 4449 '* ]] || kill -KILL $$\n"
                "exec -a \"$0\" " POET_SOLVE " \"$@\"\n");
  EXPECT_EQ(submit(Words{"--wait", "run"} + grid(), folder_.file("bin/crashing")).status, 1);
  const Lines lines = lines_of(folder_.file("run/rows.jsonl"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2].at("status"), "failed");
  EXPECT_EQ(lines[3].at("status"), "optimal");
  EXPECT_THAT(contents_of(folder_.file("run/logs/2")), HasSubstr("status 137 of: "));
  EXPECT_THAT(contents_of(folder_.file("run/collect.log")), HasSubstr("point 2 failed"));
  // What the script says about repeating a task.
  EXPECT_EQ(submit(Words{"again"} + grid()).status, 0);
  std::filesystem::copy(
      folder_.file("again/schedules"), folder_.file("run/schedules"),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  EXPECT_EQ(
      run_program(
          {.program = "/bin/bash", .arguments = {"run/collect.sh"}, .directory = folder_.path()})
          .status,
      0);
  EXPECT_EQ(lines_of(folder_.file("run/rows.jsonl")).at(2).at("status"), "optimal");
}

TEST_F(SlurmExample, SubmitsNothingAfterBadUsage) {
  const auto expect_refused = [&](const Words& arguments, const std::string& message) {
    const Finished run = submit(arguments);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect_refused({}, "found no folder, expected one for the files of this sweep");
  expect_refused({"run"}, "found no arguments of a sweep after the folder 'run'");
  expect_refused({"run", "--", "--time=1"}, "found no arguments of a sweep");
  expect_refused({"--at-once", "many", "run"}, "--at-once: found 'many', expected a number");
  expect_refused(grid(), "found '--models', expected --at-once, --wait or the folder");
  expect_refused(Words{"run"} + grid() + Words{"--output", "rows"}, "this script sets itself");
  expect_refused(Words{"run"} + grid() + Words{"--ram-budget", "some"}, "poet-solve: error: ");
  expect_refused(Words{"run", "--help"}, "expected a grid");
  expect_refused(Words{"bin"} + grid(), "bin: found files in it, expected a new folder");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("run")));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("calls")));
  EXPECT_EQ(submit({"--help"}).status, 0);
}

}  // namespace
}  // namespace poet::test
