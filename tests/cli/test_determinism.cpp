// The same question gets the same file, byte for byte but for the clock, wherever it is asked.
#include <fcntl.h>
#include <sys/stat.h>

#include <sstream>

#include <fmt/format.h>

#include "cli/poet_solve.hpp"
#include "golden/reference.hpp"
#include "support/cases.hpp"

namespace poet::test {
namespace {

/// The document without the lines that tell how long things took.
std::string without_clock(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    bool of_the_clock = false;
    for (const char* key : {"wall_seconds", "heuristic_seconds", "build_seconds", "milp_seconds",
                            "first_schedule_seconds"}) {
      of_the_clock |= line.find(fmt::format("\"{}\"", key)) != std::string::npos;
    }
    if (!of_the_clock) kept += line + "\n";
  }
  return kept;
}

/// A row of the reference optima as a command line.
Words golden(const nlohmann::json& row) {
  Words words = problem(row.at("model"), row.at("platform"),
                        std::to_string(row.at("ram_budget_bytes").get<std::int64_t>()),
                        fmt::format("{}", row.at("runtime_budget_ratio").get<double>()));
  if (!row.at("paging")) words.emplace_back("--no-paging");
  if (!row.at("remat")) words.emplace_back("--no-remat");
  return words + Words{"--gap", "0", "--time-limit-s", "0"};
}

using Environment = decltype(Command::environment);

/// Compiles a locale into the folder, for programs with LOCPATH.
bool make_locale(const TemporaryFolder& folder, const std::string& name) {
  const Finished run =
      run_program({.program = "localedef",
                   .arguments = {"-i", name, "-f", "UTF-8", folder.file(name + ".UTF-8")}});
  return run.status == 0;
}

class Determinism : public testing::Test {
 protected:
  /// Some of the golden instances; POET_CASES=76 for all.
  static std::vector<Words> instances() {
    const nlohmann::json rows = reference("optima.json").at("optima");
    const auto count = std::min(rows.size(), static_cast<std::size_t>(wanted_cases(6).count));
    std::vector<Words> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(golden(rows[i * rows.size() / count]));
    return all;
  }

  static std::string answer(Command command) {
    const Finished run = run_program(std::move(command));
    EXPECT_TRUE(run.status == 0 || run.status == 3) << run.err;
    return without_clock(run.out);
  }
};

// Numbers have a comma in German; the capital of i has a dot in Turkish.
TEST_F(Determinism, NothingDiffersInAReadOnlyFolderOfAnotherLocaleTimeZoneAndTerminal) {
  const TemporaryFolder locales;
  Environment environment{
      {"TZ", "Pacific/Kiritimati"}, {"TERM", "dumb"}, {"COLUMNS", "20"}, {"OMP_NUM_THREADS", "7"}};
  const bool has_locales = make_locale(locales, "de_DE") && make_locale(locales, "tr_TR");
  if (has_locales) {
    const Environment locale{{"LOCPATH", locales.path()},
                             {"LC_ALL", ""},
                             {"LANG", "de_DE.UTF-8"},
                             {"LC_CTYPE", "tr_TR.UTF-8"}};
    const Finished shown = run_program(
        {.program = "/usr/bin/printf", .arguments = {"%.1f", "1,5"}, .environment = locale});
    ASSERT_EQ(shown.out, "1,5") << "the locale is not in force";
    environment.insert(environment.end(), locale.begin(), locale.end());
  }
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  for (const Words& words : instances()) {
    Command changed = poet_solve_command(words);
    changed.directory = folder.path();
    changed.environment = environment;
    const std::string first = answer(poet_solve_command(words));
    EXPECT_GT(first.size(), 100U);
    EXPECT_EQ(first, answer(changed)) << testing::PrintToString(words);
  }
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_THAT(folder.contents(), testing::IsEmpty());
  if (!has_locales) GTEST_SKIP() << "no localedef, or no sources for it (Debian: locales)";
}

TEST_F(Determinism, ALargerModelWithTheCollapsedSearchIsTheSameTheSecondTime) {
  const Words words =
      problem("resnet18_cifar", "m4", "1600000", "1.5") + Words{"--time-limit-s", "0"};
  EXPECT_EQ(answer(poet_solve_command(words)), answer(poet_solve_command(words)));
}

/// The document without the clock and without the number of processes.
nlohmann::json without_processes(const std::string& text) {
  nlohmann::json file = as_document(text);
  file.at("request").erase("solve_threads");
  file.at("solver").erase("threads");
  return file;
}

// Branching on counts has few relaxations to share in the first, and many in the second.
TEST_F(Determinism, NothingDependsOnTheNumberOfSolveThreads) {
  for (const Words& words : {problem("vgg16_cifar", "a72", "1062748", "3") + Words{"--gap", "0"},
                             problem("vgg16_cifar", "m4", "1100000", "3") + Words{"--gap", "0"}}) {
    const auto on = [&](const char* processes) {
      return without_processes(answer(
          poet_solve_command(words + Words{"--time-limit-s", "0", "--solve-threads", processes})));
    };
    const nlohmann::json one = on("1");
    EXPECT_GT(one.at("solver").at("nodes"), 1) << "nothing was shared";
    EXPECT_EQ(one.at("status"), "optimal");
    EXPECT_EQ(one, on("2"));
    EXPECT_EQ(one, on("3"));
  }
}

}  // namespace
}  // namespace poet::test
