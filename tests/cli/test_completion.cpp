// The completions in the shells that they are for.
#include <regex>
#include <sstream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

using testing::Contains;
using testing::UnorderedElementsAreArray;

/// A shell with the script for it.
class Shell : public testing::Test {
 protected:
  void open(const std::string& name, const std::string& path, const std::string& script) {
    if (path.empty()) GTEST_SKIP() << "no " << name << ": its completion is not tried";
    path_ = path;
    driver_ = std::string(POET_SOURCE_DIR "/tests/support/complete/") + name + ".sh";
    script_ = POET_COMPLETIONS_DIR "/" + script;
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

  /// The options of a command, from the column of names of its --help.
  static Words options_of(const std::string& command) {
    static const std::regex entry("\n  (-[^ ,]+(, -[^ ,]+)*)");
    static const std::regex option("-[^ ,]+");
    const std::string help = poet_solve({command, "--help"}).out;
    Words options;
    for (std::sregex_iterator at(help.begin(), help.end(), entry), end; at != end; ++at) {
      const std::string names = at->str(1);
      for (std::sregex_iterator name(names.begin(), names.end(), option); name != end; ++name) {
        options.push_back(name->str());
      }
    }
    EXPECT_GE(options.size(), 8U) << help;
    return options;
  }

  /// The first column of a list, without its heading.
  static Words listed(const std::string& option) {
    std::istringstream list(poet_solve({option}).out);
    Words names;
    for (std::string line; std::getline(list, line);) {
      names.push_back(line.substr(0, line.find(' ')));
    }
    EXPECT_GE(names.size(), 8U);
    names.erase(names.begin());
    return names;
  }

  TemporaryFolder folder_;
  std::string path_;
  std::string driver_;
  std::string script_;
};

class Bash : public Shell {
  void SetUp() override { open("bash", POET_BASH, "poet-solve.bash"); }
};

TEST_F(Bash, CompletesCommandsAndTheirOptions) {
  EXPECT_EQ(complete({""}), kCommands);
  EXPECT_THAT(complete({"sw"}), ElementsAre("sweep"));
  EXPECT_THAT(complete({"--mod"}), ElementsAre("--model"));
  EXPECT_THAT(complete({"sweep", "--mod"}), ElementsAre("--models", "--model"));
  EXPECT_THAT(complete({"plot", "--w"}), ElementsAre("--width"));
  EXPECT_THAT(complete({"plot", "--lanes", ""}), ElementsAre("all", "forward", "changed", "none"));
  EXPECT_THAT(complete({"plot", "--gap"}), IsEmpty());
  EXPECT_THAT(complete({"compare", "--rel"}), ElementsAre("--rel-tol"));
  EXPECT_THAT(complete({"info", "--pl"}), ElementsAre("--platform"));
  EXPECT_THAT(complete({"import-solution", "--ex"}), ElementsAre("--exported"));
  EXPECT_THAT(complete({"solve", "--mod"}), ElementsAre("--model"));
}

TEST_F(Bash, HasTheOptionsThatHelpShowsAndNoOthers) {
  for (const std::string& command : kCommands) {
    EXPECT_THAT(complete({command, "-"}), UnorderedElementsAreArray(options_of(command)));
  }
}

TEST_F(Bash, KnowsWhatIsBuiltIn) {
  EXPECT_THAT(complete({"run", "s.json", "--model", ""}),
              UnorderedElementsAreArray(listed("--list-models") + Words{"schedule.json"}));
  EXPECT_THAT(complete({"info", "x", "--platform", ""}),
              UnorderedElementsAreArray(listed("--list-platforms") + Words{"schedule.json"}));
}

TEST_F(Bash, ReadsWordsFromDescriptions) {
  EXPECT_THAT(complete({"--ram-budget", ""}), ElementsAre("min", "chip"));
  EXPECT_THAT(complete({"import-solution", "--ram-budget", ""}), ElementsAre("chip"));
  EXPECT_THAT(complete({"sweep", "--ram-budget", "60%,"}), ElementsAre("60%,min", "60%,chip"));
  EXPECT_THAT(complete({"--alignment", ""}), ElementsAre("4", "8", "16", "32"));
  EXPECT_THAT(complete({"--loss", ""}), ElementsAre("cross_entropy", "mse"));
  EXPECT_THAT(complete({"--trainable", ""}), ElementsAre("all", "last:"));
  EXPECT_THAT(complete({"plot", "--width", ""}), ElementsAre("84mm", "174mm"));
  EXPECT_THAT(complete({"baselines", "--methods", "chen-greedy,po"}),
              ElementsAre("chen-greedy,poet", "chen-greedy,poet-ordered"));
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
              ElementsAre("linear,vgg16", "linear,vgg16_cifar", "linear,vit_tiny"));
  EXPECT_THAT(complete({"sweep", "--models", "linear", "be"}), ElementsAre("bert"));
  EXPECT_THAT(complete({"sweep", "--platforms", "al"}), ElementsAre("all"));
  EXPECT_THAT(complete({"sweep", "--models", "s"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"info", "lin"}), ElementsAre("linear"));
  EXPECT_THAT(complete({"info", "--platform", "a72n"}), ElementsAre("a72nocache"));
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
  void SetUp() override { open("fish", POET_FISH, "poet-solve.fish"); }
};

TEST_F(Fish, HasTheOptionsThatHelpShowsAndNoOthers) {
  for (const std::string& command : kCommands) {
    Words options = options_of(command);
    std::erase_if(options, [](const std::string& name) { return !name.starts_with("--"); });
    EXPECT_THAT(complete({command, "--"}), UnorderedElementsAreArray(options));
  }
}

TEST_F(Fish, CompletesCommandsOptionsAndValues) {
  EXPECT_THAT(complete({"sw"}), ElementsAre("sweep"));
  EXPECT_THAT(complete({"--mod"}), ElementsAre("--model"));
  EXPECT_THAT(complete({"--model", "lin"}), ElementsAre("linear"));
  EXPECT_THAT(complete({"--model", "plot", "--eff"}), ElementsAre("--effort"));
  EXPECT_THAT(complete({"plot", "--eff"}), IsEmpty());
  EXPECT_THAT(complete({"plot", "sch"}), ElementsAre("schedule.json"));
  EXPECT_THAT(complete({"sweep", "--models", "linear,v"}),
              ElementsAre("linear,vgg16", "linear,vgg16_cifar", "linear,vit_tiny"));
  EXPECT_THAT(complete({"sweep", "--techniques=both,n"}), ElementsAre("--techniques=both,none"));
}

class Zsh : public Shell {
  void SetUp() override { open("zsh", POET_ZSH, "_poet-solve"); }
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
      {"run s.json --inp", "run s.json --input="},
      {"run s.json --model=unet", "run s.json --model=unet_small "},
      {"run s.json --model=-d", "run s.json --model=-d"},
      {"sweep --model lin", "sweep --model linear,"},
      {"sweep --model sch", "sweep --model schedule.json "},
      {"baselines --methods keep-all,dt", "baselines --methods keep-all,dtr-like,"},
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

}  // namespace
}  // namespace poet::test
