// What is written about the options beside --help: manual pages and docs.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

std::string help(const std::string& command) {
  return poet_solve({command, "--help"}).out;
}

std::set<std::string> options_in(const std::string& text) {
  static const std::regex option("--[a-z][a-z-]*");
  std::set<std::string> options;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
    options.insert(at->str());
  }
  return options;
}

void expect_every_option(const std::string& text, const std::string& command) {
  const std::set<std::string> found = options_in(text);
  const std::set<std::string> expected = options_in(help(command));
  EXPECT_GE(expected.size(), 5U);
  for (const std::string& option : expected) {
    EXPECT_TRUE(found.contains(option)) << option << " of " << command;
  }
}

/// The manual page of a command; the test is skipped without help2man, which makes them.
class ManPage : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(POET_MANUAL_DIR).empty()) GTEST_SKIP() << "no help2man: there are no pages";
  }

  static std::string page(const std::string& command) {
    const std::string name = command == "solve" ? "poet-solve" : "poet-solve-" + command;
    return contents_of(POET_MANUAL_DIR "/" + name + ".1");
  }

  /// The page as a terminal shows it, and what the formatter complains about.
  static Finished formatted(const std::string& text) {
    return run_program({.program = POET_GROFF,
                        .arguments = {"-man", "-ww", "-Tascii", "-P-cbou"},
                        .stdin_text = text});
  }
};

TEST(Help, ListsEveryCommand) {
  const std::string text = help("solve");
  const std::size_t begin = text.find("\nCommands (");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(text.substr(begin + 1));
  Words listed;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    // What goes on in another line is indented by more.
    if (line.starts_with("  ") && line[2] != ' ') listed.push_back(words_of(line).front());
  }
  EXPECT_EQ(listed, kCommands) << "docs/command-line.md has other commands than --help";
  EXPECT_EQ(help("solve"), poet_solve({"--help"}).out);
}

/// A text without its blocks of code, in which programs speak.
std::string without_code(const std::string& text) {
  const std::string fence = "```";
  std::string kept;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t begin = std::min(text.find(fence, from), text.size());
    kept += text.substr(from, begin - from);
    const std::size_t end = text.find(fence, begin + fence.size());
    from = end == std::string::npos ? text.size() : end + fence.size();
  }
  return kept;
}

/// A phrase that makes the reader look for the noun it stands for; empty if there is none.
std::string vague_phrase(const std::string& text) {
  static const std::regex vague(R"((those|that)\s+of\b|whatever)", std::regex::icase);
  std::smatch found;
  if (!std::regex_search(text, found, vague)) return {};
  const std::string before = found.prefix();
  return before.substr(before.size() - std::min<std::size_t>(before.size(), 60)) + found.str();
}

TEST(Help, HasExamples) {
  for (const std::string& command : kCommands) {
    EXPECT_THAT(help(command), HasSubstr("\n  $ poet-solve ")) << command;
  }
}

TEST(Help, FitsTheWidthOfATerminal) {
  for (const char* command : {"solve", "sweep", "plot", "verify", "compare", "info"}) {
    std::istringstream lines(help(command));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(Help, NamesTheNoun) {
  EXPECT_NE(vague_phrase("the bytes are those\n  of the output"), "");
  for (const std::string& command : kCommands) EXPECT_EQ(vague_phrase(help(command)), "");
}

TEST(Pages, NameTheNoun) {
  std::vector<std::filesystem::path> pages{POET_SOURCE_DIR "/README.md",
                                           POET_SOURCE_DIR "/CONTRIBUTING.md"};
  for (const char* folder : {"/docs", "/python"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(POET_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  for (const std::filesystem::path& page : pages) {
    EXPECT_EQ(vague_phrase(without_code(contents_of(page))), "") << page;
  }
}

TEST(CommandLinePage, HasEveryOption) {
  for (const std::string& command : kCommands) {
    expect_every_option(contents_of(POET_SOURCE_DIR "/docs/command-line.md"), command);
  }
}

TEST(CommandLinePage, HasNoOptionInATableThatHelpDoesNotShow) {
  std::string all;
  for (const std::string& command : kCommands) all += help(command);
  const std::set<std::string> shown = options_in(all);
  std::istringstream page(contents_of(POET_SOURCE_DIR "/docs/command-line.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `--")) continue;
    ++rows;
    for (const std::string& option : options_in(line.substr(0, line.find(" | ")))) {
      EXPECT_TRUE(shown.contains(option)) << option;
    }
  }
  EXPECT_GT(rows, 100);
}

TEST_F(ManPage, HasTheSectionsOfAManualPage) {
  for (const char* section :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "FILES", "EXAMPLES", "\"SEE ALSO\""}) {
    EXPECT_THAT(page("solve"), HasSubstr(std::string("\n.SH ") + section + "\n"));
  }
  for (const std::string& command : kCommands) {
    const std::string escaped = std::regex_replace(command, std::regex("-"), "\\-");
    EXPECT_THAT(page("solve"), HasSubstr("\n.TP\n" + escaped + "\n"));
  }
  EXPECT_THAT(page("solve"), HasSubstr("\n.TP\n130\ninterrupted"));
}

TEST_F(ManPage, IsFormattedWithoutAWarning) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  for (const std::string& command : kCommands) {
    const Finished run = formatted(page(command));
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_NE(formatted(page(command) + ".NOSUCHREQUEST\n").err, "") << "it does complain";
  }
}

TEST_F(ManPage, HasEveryOptionOfItsCommand) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  for (const std::string& command : kCommands) {
    expect_every_option(formatted(page(command)).out, command);
  }
}

TEST_F(ManPage, ShowsExamplesAsTheyAre) {
  if (std::string(POET_GROFF).empty()) GTEST_SKIP() << "no groff: the page is not formatted";
  EXPECT_THAT(formatted(page("plot")).out, HasSubstr(" poet-solve plot - > both.svg\n"));
  EXPECT_THAT(page("compare"), HasSubstr("--markdown >> \"$SUMMARY\""));
}

}  // namespace
}  // namespace poet::test
