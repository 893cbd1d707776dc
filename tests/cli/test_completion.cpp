// The scripts that --completion writes, in the shells that they are for.
#include <sstream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A shell with the script for it.
class Shell : public testing::Test {
 protected:
  void open(const std::string& name, const std::string& path) {
    if (path.empty()) GTEST_SKIP() << "no " << name << ": its completion is not tried";
    path_ = path;
    driver_ = std::string(POET_SOURCE_DIR "/tests/support/complete/") + name + ".sh";
    const Finished run = poet_solve({"--completion", name});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    script_ = folder_.write("completion", run.out);
    folder_.write("schedule.json", "");
    EXPECT_EQ(run_program({.program = path, .arguments = {"-n", script_}}).err, "");
  }

  /// The lines that the shell's driver prints for these words.
  std::vector<std::string> complete(const Words& words) const {
    const Finished run = run_program({.program = path_,
                                      .arguments = Words{driver_, script_} + words,
                                      .environment = {{"HOME", folder_.file(".home")}},
                                      .directory = folder_.path(),
                                      .kill_after_seconds = 60});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    std::vector<std::string> lines;
    std::istringstream stream(run.out);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  std::string path_;
  std::string driver_;
  std::string script_;
};

class Bash : public Shell {
  void SetUp() override { open("bash", POET_BASH); }
};

TEST_F(Bash, CompletesCommandsAndTheirOptions) {
  EXPECT_THAT(complete({""}), ElementsAre("verify", "plot", "sweep", "compare"));
  EXPECT_THAT(complete({"sw"}), ElementsAre("sweep"));
  EXPECT_THAT(complete({"--mo"}), ElementsAre("--model"));
  EXPECT_THAT(complete({"sweep", "--mo"}), ElementsAre("--models", "--model"));
  EXPECT_THAT(complete({"plot", "--gap"}), IsEmpty());
  EXPECT_THAT(complete({"compare", "--rel"}), ElementsAre("--rel-tol"));
}

TEST_F(Bash, CompletesValuesThatAreKnown) {
  EXPECT_THAT(complete({"--model", "resnet18"}), ElementsAre("resnet18", "resnet18_cifar"));
  EXPECT_THAT(complete({"--platform", "m"}), ElementsAre("m0", "m4"));
  EXPECT_THAT(complete({"--effort", ""}), ElementsAre("fast", "default", "proof"));
  EXPECT_THAT(complete({"--model", "=", "lin"}), ElementsAre("linear"));
  EXPECT_THAT(complete({"--model", "="}), Contains("vgg16"));
  EXPECT_THAT(complete({"--gap", ""}), IsEmpty());
}

TEST_F(Bash, CompletesTheLastOfAListAndNoneTwice) {
  EXPECT_THAT(complete({"sweep", "--models", "linear,v"}),
              ElementsAre("linear,vgg16", "linear,vgg16_cifar"));
  EXPECT_THAT(complete({"sweep", "--techniques", "both,none,"}),
              ElementsAre("both,none,remat", "both,none,paging"));
}

TEST_F(Bash, CompletesFilesAndFolders) {
  std::filesystem::create_directory(folder_.file("my runs"));
  EXPECT_THAT(complete({"verify", "s"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"plot", "--output", "s"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"--model", "s"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"sweep", "--schedules", ""}), ElementsAre("my runs"));
}

TEST_F(Bash, TakesNoValueForACommand) {
  EXPECT_THAT(complete({"--model", "plot", "--eff"}), ElementsAre("--effort"));
  EXPECT_THAT(complete({"--model", "=", "plot", "--eff"}), ElementsAre("--effort"));
  EXPECT_THAT(complete({"-q", "plot", "--eff"}), IsEmpty());
}

class Fish : public Shell {
  void SetUp() override { open("fish", POET_FISH); }
};

TEST_F(Fish, CompletesCommandsOptionsAndValues) {
  EXPECT_THAT(complete({"sw"}), ElementsAre("sweep"));
  EXPECT_THAT(complete({"--mod"}), ElementsAre("--model"));
  EXPECT_THAT(complete({"--model", "lin"}), ElementsAre("linear"));
  EXPECT_THAT(complete({"--model", "plot", "--eff"}), ElementsAre("--effort"));
  EXPECT_THAT(complete({"plot", "--eff"}), IsEmpty());
  EXPECT_THAT(complete({"plot", "sch"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"sweep", "--models", "linear,v"}),
              ElementsAre("linear,vgg16", "linear,vgg16_cifar"));
  EXPECT_THAT(complete({"sweep", "--techniques=both,n"}), ElementsAre("--techniques=both,none"));
}

class Zsh : public Shell {
  void SetUp() override { open("zsh", POET_ZSH); }
};

/// All in one session: it takes a second to begin.
TEST_F(Zsh, CompletesCommandsOptionsAndValues) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"sw", "sweep "},
      {"--mod", "--model="},
      {"--model=lin", "--model=linear "},
      {"--effort pr", "--effort proof "},
      {"plot --ou", "plot --output="},
      {"plot --effo", "plot --effo"},
      {"verify sch", "verify schedule.json "},
      {"sweep --platforms m4,j", "sweep --platforms m4,jetsontx2,"}};
  Words typed;
  Words completed;
  for (const auto& [before, after] : lines) {
    typed.push_back("poet-solve " + before);
    completed.push_back("poet-solve " + after);
  }
  EXPECT_EQ(complete(typed), completed);
}

TEST(Completion, IsRefusedForAnotherShell) {
  const Finished run = poet_solve({"--completion", "csh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--completion: found 'csh'; expected bash, zsh or fish"));
}

TEST(Completion, GoesIntoAFile) {
  const TemporaryFolder folder;
  const Finished run =
      poet_solve({"--completion", "bash", "--output", folder.file("poet-solve.bash")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(contents_of(folder.file("poet-solve.bash")), poet_solve({"--completion", "bash"}).out);
}

/// Whatever --help shows, and nothing that it hides.
TEST(Completion, HasEveryOptionThatHelpShows) {
  for (const Words& command :
       {Words{}, Words{"verify"}, Words{"plot"}, Words{"sweep"}, Words{"compare"}}) {
    const std::string text = poet_solve(command + Words{"--help"}).out;
    for (const char* shell : {"bash", "zsh", "fish"}) {
      std::istringstream help(text);
      const std::string script = poet_solve({"--completion", shell}).out;
      EXPECT_THAT(script, Not(HasSubstr("disable")));
      for (std::string word; help >> word;) {
        if (!word.starts_with("--") || word.find_first_of(".,;)") != std::string::npos) continue;
        const bool is_fish = shell == std::string("fish");
        EXPECT_THAT(script, HasSubstr(is_fish ? "-l " + word.substr(2) : word));
      }
    }
  }
}

}  // namespace
}  // namespace poet::test
