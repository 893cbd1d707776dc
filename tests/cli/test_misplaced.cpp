// Words of the command line that are in the wrong place, or nowhere right.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

struct Misplaced {
  std::string name;
  Words words;
  std::string says;
};

void PrintTo(const Misplaced& misplaced, std::ostream* out) {
  *out << misplaced.name;
}

class MisplacedWords : public testing::TestWithParam<Misplaced> {};

TEST_P(MisplacedWords, AreNamedWithThePlaceWhereTheyBelong) {
  const Finished run = poet_solve(GetParam().words);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(count_lines(run.err), 1U) << run.err;
  EXPECT_THAT(run.err, HasSubstr("poet-solve: error: " + GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Each, MisplacedWords,
    testing::Values(
        Misplaced{"BeforeACommandThatHasIt",
                  {"--output", "/nonexistent/x", "plot", "s.json"},
                  "--output: found before 'plot'; the options of a command follow its name "
                  "(poet-solve plot --help)"},
        Misplaced{"BeforeACommandWithoutIt",
                  {"--gap", "0", "plot", "s.json"},
                  "--gap: found before 'plot'; the options of a command follow its name"},
        Misplaced{"AfterACommandWithoutIt",
                  {"plot", "s.json", "--gap", "0"},
                  "--gap: 'plot' does not have it; 'solve', 'import-solution', 'sweep' and "
                  "'baselines' do"},
        Misplaced{"WithoutItsCommand",
                  {"--techniques=none", "--model", "linear"},
                  "--techniques: 'solve' does not have it; 'sweep' does"},
        Misplaced{
            "UnknownOption",
            {"--model", "linear", "--ram-budgt", "60%"},
            "found the unknown option '--ram-budgt'; did you mean '--ram-budget'? (poet-solve "
            "--help"},
        Misplaced{
            "UnknownOptionOfACommand",
            {"sweep", "--modles", "linear"},
            "found the unknown option '--modles'; did you mean '--models'? (poet-solve sweep"},
        Misplaced{"UnknownCommand",
                  {"sweeps", "--models", "linear"},
                  fmt::format("found 'sweeps'; expected an option or a command ({}); did you "
                              "mean 'sweep'?",
                              fmt::join(kCommands, ", "))},
        Misplaced{"OneFileTooMany",
                  {"plot", "a.json", "b.json"},
                  "found 'b.json' after all that 'plot' takes"}),
    [](const auto& instance) { return instance.param.name; });

/// The document of a failed solve is nothing for the file of a picture or a sweep.
TEST(MisplacedOutput, GetsNoDocumentOfAnotherKind) {
  for (const char* command : {"plot", "sweep", "compare", "verify"}) {
    const TemporaryFolder folder;
    const Finished run = poet_solve({"--output", folder.file("x"), command, "a"});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("--output: found before"));
    EXPECT_THAT(folder.contents(), IsEmpty());
  }
}

}  // namespace
}  // namespace poet::test
