#include <algorithm>
#include <sstream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

TEST(FirstWords, ThatAreNoneAreAnsweredWithCommandsThatWork) {
  const Finished run = poet_solve({});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  std::istringstream lines(run.err);
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  poet-solve ")) continue;
    ++commands;
    Words words = words_of(line.substr(0, line.find("   ", 2)));
    words.erase(words.begin());
    Command command = poet_solve_command(words);
    static const TemporaryFolder folder;
    command.directory = folder.path();
    const Finished one = run_program(command);
    EXPECT_EQ(one.status, 0) << line << '\n' << one.err;
  }
  EXPECT_EQ(commands, 4);
}

TEST(FirstWords, OfHelpAndVersionAreTakenAsPeopleWriteThem) {
  EXPECT_EQ(poet_solve({"help"}).out, poet_solve({"--help"}).out);
  EXPECT_EQ(poet_solve({"help", "plot"}).out, poet_solve({"plot", "--help"}).out);
  EXPECT_EQ(poet_solve({"-V"}).out, poet_solve({"--version"}).out);
  EXPECT_THAT(poet_solve({"help", "plt"}).err, HasSubstr("did you mean 'plot'?"));
  EXPECT_THAT(poet_solve({"-version"}).err, HasSubstr("found '-version'; expected two dashes, "
                                                      "--version"));
}

TEST(FirstWords, WithoutAValueOrWithTwoAreRefusedInOurWords) {
  EXPECT_THAT(poet_solve(quick_problem() + Words{"--gap"}).err,
              HasSubstr("error: --gap: needs a value, REL"));
  EXPECT_THAT(poet_solve(quick_problem() + Words{"--model", "linear"}).err,
              HasSubstr("error: --model: found 2 values; expected one"));
}

TEST(FirstWords, ThatNameFilesOfOtherToolsSayTheWayFromThere) {
  for (const char* const file : {"net.pt", "nets/net.pth", "nets.py"}) {
    EXPECT_THAT(poet_solve({"info", file}).err, HasSubstr("python3 -m poet.torch MODULE:NAME"))
        << file;
  }
  for (const char* const file : {"net.tflite", "net.keras", "./net.h5"}) {
    EXPECT_THAT(poet_solve({"info", file}).err, HasSubstr("poet-solve import makes of its export"))
        << file;
  }
}

TEST(FirstWords, OfABudgetInBytesAreReadOutIfNothingFits) {
  const Finished few = poet_solve(problem("ds_cnn", "m4", "256", "2"));
  EXPECT_EQ(few.status, 3);
  EXPECT_THAT(few.err, HasSubstr("--ram-budget 256 is 256 bytes; 256K is 256 KiB"));
  EXPECT_THAT(poet_solve(problem("ds_cnn", "m4", "1%", "2")).err, Not(HasSubstr("is 256")));
}

TEST(Terminal, ShowsNoDocumentIfThereIsNoSchedule) {
  Command command = poet_solve_command({"--modl", "linear"});
  command.stdout_is_terminal = true;
  const Finished run = run_program(command);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("did you mean '--model'?"));
  command.arguments = problem("linear", "m4", "100", "2");
  const Finished infeasible = run_program(command);
  EXPECT_EQ(infeasible.status, 3);
  EXPECT_EQ(infeasible.out, "");
  EXPECT_THAT(infeasible.err, HasSubstr("infeasible: "));
}

TEST(Terminal, GetsTheNameOfAFileInPlaceOfASchedule) {
  const TemporaryFolder folder;
  Command command = poet_solve_command(quick_problem());
  command.directory = folder.path();
  command.stdout_is_terminal = true;
  EXPECT_EQ(run_program(command).out,
            "the schedule is in schedule.json; --output FILE names it\r\n");
  const std::string first = contents_of(folder.path() + "/schedule.json");
  EXPECT_THAT(run_program(command).out, StartsWith("the schedule is in schedule-2.json;"));
  EXPECT_EQ(contents_of(folder.path() + "/schedule.json"), first);
  EXPECT_EQ(poet_solve({"verify", folder.path() + "/schedule-2.json"}).status, 0);
  command.arguments = quick_problem() + Words{"--output", "/dev/stdout"};
  EXPECT_THAT(run_program(command).out, StartsWith("{"));
}

TEST(Terminal, OfSixtyColumnsShowsBothGaps) {
  Command command = poet_solve_command(slow_problem() + Words{"--time-limit-s", "3"});
  command.stderr_is_terminal = true;
  command.terminal_columns = 60;
  const Finished run = run_program(command);
  std::string shown = run.err;
  std::replace(shown.begin(), shown.end(), '\r', '\n');
  std::istringstream lines(shown);
  int with_gaps = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" s  gap ") == std::string::npos) continue;
    ++with_gaps;
    EXPECT_THAT(line, AllOf(HasSubstr(" %  extra "), HasSubstr(" %  best ")));
    EXPECT_LT(line.size() - std::string_view("\033[K").size(), 60U) << line;
  }
  EXPECT_GT(with_gaps, 2);
}

TEST(Log, OfAPhaseHasALineASecondAtMost) {
  const Finished run = poet_solve(slow_problem() + Words{"--time-limit-s", "4"});
  std::istringstream lines(run.err);
  double last = -10;
  std::string phase;
  int shown = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t unit = line.find(" s  ");
    if (!line.starts_with("poet-solve: info:  ") || unit == std::string::npos) continue;
    const double seconds = std::stod(line.substr(std::string_view("poet-solve: info:").size()));
    const std::string same = line.substr(unit + 4, line.find("  ", unit + 4) - unit - 4);
    if (same == phase) {
      EXPECT_GE(seconds - last, 0.9) << run.err;  // times have one digit
    }
    phase = same;
    last = seconds;
    ++shown;
  }
  EXPECT_GT(shown, 1);
}

}  // namespace
}  // namespace poet::test
