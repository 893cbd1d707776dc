// Every kind of bad input to sweep: exit status 2, one message with the place, nothing solved and
// nothing written.
#include <unistd.h>

#include <ostream>

#include "cli/sweep_files.hpp"

namespace poet::test {
namespace {

struct BadSweep {
  std::string name;
  Words arguments;  ///< replace or follow those of a good sweep
  Words says;       ///< parts of the message
};

void PrintTo(const BadSweep& bad, std::ostream* out) {
  *out << bad.name;
}

/// A good sweep that would take minutes, with these options instead of its own.
Words good_but(const Words& changes) {
  Words words = sweep("resnet18_cifar", "m4", "300000,700000", "3");
  for (std::size_t c = 0; c < changes.size(); c += 2) {
    const auto at = std::find(words.begin(), words.end(), changes[c]);
    if (at == words.end() || c + 1 == changes.size()) {
      words.insert(words.end(), changes.begin() + static_cast<std::ptrdiff_t>(c), changes.end());
      break;
    }
    *(at + 1) = changes[c + 1];
  }
  return words;
}

std::vector<BadSweep> rows() {
  return {
      {"UnknownModel",
       {"--models", "linear,resnet18_cifr"},
       {"--models: unknown model 'resnet18_cifr'", "did you mean 'resnet18_cifar'?"}},
      {"MissingModelFile", {"--models", "linear,./none.json"}, {"--models: ./none.json"}},
      {"BrokenModel", {"--models", "linear,broken.json"}, {"--models: broken.json:1:"}},
      {"SameModelTwice", {"--models", "linear,linear"}, {"--models: found 'linear' twice"}},
      {"SameModelByAnotherName",
       {"--models", "linear," POET_SOURCE_DIR "/models/linear.json"},
       {"--models: 'linear' and '", "are the same"}},
      {"UnknownPlatform", {"--platforms", "m4,jetson"}, {"--platforms: unknown platform 'jetson'"}},
      {"SamePlatformTwice", {"--platforms", "m4,m4"}, {"--platforms: found 'm4' twice"}},
      {"SameModelTwiceInTwoWords",
       {"--model", "linear", "linear"},
       {"--models: found 'linear' twice"}},
      {"AllAndOneOfThem",
       {"--models", "all,linear"},
       {"--models: found 'linear' twice; expected it once"}},
      {"PlatformWithoutAChip",
       {"--platforms", "a72", "--ram-budget", "chip"},
       {"--ram-budget: resnet18_cifar/a72: found 'chip', but no platform"}},
      {"EmptyGrid", {"--ram-budget", ""}, {"--ram-budget: missing"}},
      {"ReversedForTheModel",
       {"--ram-budget", "9MB..100%:4"},
       {"--ram-budget: resnet18_cifar/m4: ", "from 9000000 to 2453760"}},
      {"PointTwice",
       {"--ram-budget", "100%,2453760"},
       {"--ram-budget: resnet18_cifar/m4: the RAM budget of 2453760 bytes is there twice"}},
      {"TooManyPoints",
       {"--ram-budget", "300000..700000:4096", "--runtime-budget", "2,3"},
       {"8192 points", "at most 4096"}},
      {"BudgetBelowAByte", {"--ram-budget", "0.00001%"}, {"resnet18_cifar/m4", "one byte"}},
      {"RuntimeTwice", {"--runtime-budget", "2,2.0"}, {"--runtime-budget: found '2x' twice"}},
      {"RuntimeMissing", {"--runtime-budget", ""}, {"--runtime-budget: missing"}},
      {"UnknownTechnique", {"--techniques", "both,magic"}, {"--techniques: found 'magic'"}},
      {"JobsZero", {"--jobs", "0"}, {"--jobs: found 0"}},
      {"JobsText", {"--jobs", "many"}, {"--jobs: found 'many'"}},
      {"UnknownFormat", {"--format", "xml"}, {"--format: found 'xml'; expected jsonl or csv"}},
      {"UnknownOption", {"--model-list", "x"}, {"--model-list"}},
      {"OutputInNoFolder", {"--output", "none/c.jsonl"}, {"--output: none/c.jsonl"}},
      {"OutputIsAFolder", {"--output", "folder"}, {"--output: folder", "directory"}},
      {"CsvInNoFolder", {"--csv", "none/c.csv"}, {"--csv: none/c.csv"}},
      {"CsvIsTheOutput",
       {"--output", "c.x", "--csv", "c.x"},
       {"--csv: found c.x, the same file as --output"}},
      {"CsvIsTheJournal",
       {"--output", "c.x", "--csv", "c.x.partial"},
       {"--csv: found c.x.partial, the same file as --output"}},
      {"PlotIsTheRequest",
       {"--output", "c.x", "--plot", "c.x.request"},
       {"--plot: found c.x.request, the same file as --output"}},
      {"SchedulesInAFile", {"--schedules", "broken.json"}, {"--schedules: broken.json"}},
      {"SchedulesBelowAFile", {"--schedules", "broken.json/s"}, {"--schedules: broken.json/s"}},
      {"MinRamWithBudgets", {"--min-ram"}, {"--ram-budget: found with --min-ram"}},
      {"DryRunWithoutAFolder", {"--dry-run"}, {"--dry-run", "--schedules DIR"}},
      {"DryRunAndCollect",
       {"--collect", "folder", "--dry-run"},
       {"--dry-run: found with --collect"}},
      {"ResumeAndOutput",
       {"--output", "c.jsonl", "--resume", "d.jsonl"},
       {"--resume: found with another --output"}},
  };
}

class BadSweeps : public testing::TestWithParam<BadSweep> {};

TEST_P(BadSweeps, EndWithTwoAndOneMessageAndLeaveNothing) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("broken.json", "{"));
  std::filesystem::create_directory(folder.file("folder"));
  Command command = poet_solve_command(good_but(GetParam().arguments));
  command.directory = folder.path();
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(count_lines(run.err), 1U) << run.err;
  EXPECT_LT(run.wall_seconds, 2) << "nothing is solved";
  for (const std::string& part : GetParam().says) EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_THAT(folder.contents(), testing::ElementsAre("broken.json", "folder"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("folder")));
}

INSTANTIATE_TEST_SUITE_P(Each, BadSweeps, testing::ValuesIn(rows()),
                         [](const auto& instance) { return instance.param.name; });

TEST(BadSweep, OptionsOfTheSingleSolveBeforeACommandAreNotLost) {
  const Finished run = poet_solve(Words{"--gap", "0.1"} + sweep("linear", "m4", "50%", "2"));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--gap: found before 'sweep'"));
}

TEST(BadSweep, BothListsFromStdin) {
  const Finished run = poet_solve(sweep("-", "-", "50%", "2"), "{}");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("found - twice; stdin can be only one of the files"));
}

TEST(BadSweep, UnwritableFoldersAreFoundBeforeTheSolve) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read);
  for (const char* option : {"--output", "--csv", "--schedules"}) {
    EXPECT_EQ(poet_solve(good_but({option, folder.file("x")})).status, 2) << option;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace poet::test
