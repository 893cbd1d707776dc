// The manual page that --man writes.
#include <regex>
#include <set>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::HasSubstr;

const std::string& page() {
  static const std::string text = poet_solve({"--man"}).out;
  return text;
}

/// The page as a terminal shows it, and what the formatter complains of.
Finished formatted(const std::string& text) {
  return run_program({.program = POET_GROFF,
                      .arguments = {"-man", "-ww", "-Tascii", "-P-cbou"},
                      .stdin_text = text});
}

std::set<std::string> options_in(const std::string& text) {
  static const std::regex option("--[a-z][a-z-]*");
  std::set<std::string> options;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
    options.insert(at->str());
  }
  return options;
}

TEST(ManPage, HasTheSectionsOfAManualPage) {
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS",
                              "EXIT STATUS", "EXAMPLES", "FILES", "SEE ALSO"}) {
    EXPECT_THAT(page(), HasSubstr(std::string("\n.SH ") + section + "\n"));
  }
  EXPECT_THAT(page(), HasSubstr("\n.B 130\ninterrupted"));
}

TEST(ManPage, IsFormattedWithoutAWarning) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  const Finished run = formatted(page());
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(formatted(page() + ".NOSUCHREQUEST\n").err, "") << "it does complain";
}

TEST(ManPage, HasEveryOptionOfEveryHelp) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  const std::set<std::string> found = options_in(formatted(page()).out);
  for (const char* command : {"", "verify", "plot", "sweep", "compare"}) {
    const Words words = std::string(command).empty() ? Words{"--help"} : Words{command, "--help"};
    const std::set<std::string> expected = options_in(poet_solve(words).out);
    EXPECT_GE(expected.size(), 4U);
    for (const std::string& option : expected) EXPECT_TRUE(found.contains(option)) << option;
  }
}

/// Roff would take a line that starts with a dot for a request, and a backslash for an escape.
TEST(ManPage, ShowsExamplesAsTheyAre) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  const std::string text = formatted(page()).out;
  EXPECT_THAT(text, HasSubstr("poet-solve --model resnet18_cifar --platform m4 --ram-budget 737719 "
                              "\\\n"));
  EXPECT_THAT(text, HasSubstr("--markdown >> \"$SUMMARY\"\n"));
}

}  // namespace
}  // namespace poet::test
