// Every command that writes, on a disk that fills up and beside somebody who ends it, at each call
// that changes a file. What a user gets is whole, or what was there before, and status 0 means all
// of it.
#include <map>
#include <random>

#include "cli/sweep_files.hpp"
#include "support/cases.hpp"

namespace poet::test {
namespace {

/// The call to try after this one. In a long run that is the next one, and otherwise the steps
/// grow: all files are written by the same functions, and an export writes eighty.
int next_call(int call) {
  return call + (wanted_cases(2).count > 2 ? 1 : 5 + call / 4);
}

using Contents = std::map<std::string, std::string>;

/// A command, in a folder that has `s.json`, a schedule.
struct Writer {
  std::string name;
  Words arguments;
};

void PrintTo(const Writer& writer, std::ostream* out) {
  *out << writer.name;
}

std::vector<Writer> writers() {
  // What takes long writes nothing.
  const Words quick{"-q", "--disable", "local-search"};
  const Words exact = quick_problem() + Words{"--backward", "exact"} + quick;
  const Words grid = sweep("linear", "m4", "60%,80%", "2", quick);
  return {
      {"Solve",
       exact + Words{"--output", "o.json", "--certify", "o.proof", "--plot-directory", "p"}},
      {"Milp", exact + Words{"--export-model", "o.mps", "--no-solve"}},
      {"Sweep", grid + Words{"--output", "o.jsonl", "--csv", "o.csv", "--plot", "o.svg",
                             "--schedules", "d"}},
      {"Baselines",
       words_of("baselines --model linear --platform m4 --ram-budget 60% --runtime-budget 2 -q "
                "--methods keep-all,chen-sqrt --output o.jsonl --csv o.csv --plot o.svg "
                "--schedules d")},
      {"Place", words_of("place s.json -q --output o.json")},
      {"Plot", words_of("plot s.json --output o.svg -q")},
      {"Certify", words_of("certify s.json --output o.proof -q")},
      {"Export", words_of("export s.json --format csv --output d -q")},
      {"ExportC", words_of("export s.json --model linear --output d -q")},
      {"Run", words_of("run s.json --model linear --output o.json --parameters-output o.npz -q")},
      {"Info", words_of("info linear --output o.txt -q")},
      {"Verify", words_of("verify s.json --runtime-budget 2 --output o.json -q")},
  };
}

class Writing : public testing::TestWithParam<Writer> {
 protected:
  Writing() {
    static const std::string text =
        poet_solve(quick_problem() + Words{"--backward", "exact", "-q"}).out;
    schedule_ = folder_.write("s.json", text);
    EXPECT_EQ(run_program(command(GetParam().arguments)).status, 0);
    whole_ = contents();
  }

  Command command(const Words& arguments) const {
    Command command = poet_solve_command(arguments);
    command.directory = folder_.path();
    return command;
  }

  /// With a word of faulty_disk.cpp.
  Command faulty(const std::string& fault, const std::string& signals = {}) const {
    Command run = command(GetParam().arguments);
    run.environment = {{"LD_PRELOAD", POET_FAULTY_DISK},
                       {"POET_TEST_DISK", fault},
                       {"POET_TEST_SIGNALS", signals}};
    return run;
  }

  Contents contents() const {
    Contents files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file() && entry.path() != schedule_) {
        files[entry.path().lexically_relative(folder_.path())] = contents_of(entry.path());
      }
    }
    return files;
  }

  /// Removes all that the command writes, or makes each file of it an earlier one.
  void start_anew(bool has_earlier) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path() != schedule_) std::filesystem::remove_all(entry.path());
    }
    if (!has_earlier) return;
    for (const auto& [name, text] : whole_) {
      if (name.ends_with(".request")) continue;
      std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
      folder_.write(name, kEarlier);
    }
  }

  /// As in an undisturbed run, but for what clocks measured, and what an ended search did not find.
  bool is_whole(const std::string& name, const std::string& text) const {
    const auto found = whole_.find(name);
    if (found == whole_.end()) return false;
    if (text == found->second) return true;
    if (name.ends_with(".json")) return nlohmann::json::accept(text) && text.ends_with('\n');
    if (name.ends_with(".jsonl") || name.ends_with(".csv") || name.ends_with(".request")) {
      return text.ends_with('\n') && count_lines(text) <= count_lines(found->second);
    }
    return GetParam().name.starts_with("Solve") &&
           (text.ends_with("\n</svg>\n") || text.ends_with("\nend\n"));
  }

  /// No file is half of one. The journal of a sweep is there on purpose. All are there if `all`.
  void expect_nothing_half(bool all, bool may_leave) const {
    const Contents now = contents();
    for (const auto& [name, text] : now) {
      const bool is_left = name.find(".poet-") != std::string::npos;
      if (name.ends_with(".partial") || (is_left && may_leave)) continue;
      EXPECT_FALSE(is_left) << name;
      EXPECT_TRUE(is_whole(name, text) || (text == kEarlier && !all))
          << name << ": " << text.substr(0, 300);
    }
    // A sweep whose journal cannot be finished says so, and has all results.
    for (const auto& [name, text] : whole_) {
      EXPECT_TRUE(!all || now.contains(name) || name.ends_with(".request")) << name;
    }
  }

  /// After a signal, or a kill, the next run has all.
  void expect_next_run_works() const {
    std::filesystem::remove(folder_.file("o.jsonl.partial"));
    const Finished next = run_program(command(GetParam().arguments));
    EXPECT_EQ(next.status, 0) << next.err;
    expect_nothing_half(true, false);
  }

  static constexpr const char* kEarlier = "earlier\n";
  TemporaryFolder folder_;
  std::string schedule_;
  Contents whole_;
};

TEST_P(Writing, OnADiskThatIsFullFromACallOnHasStatusTwoOrAllOfIt) {
  for (const bool has_earlier : {false, true}) {
    for (int call = 0, status = 2; status != 0 && call < 1000; call = next_call(call)) {
      SCOPED_TRACE(call);
      start_anew(has_earlier);
      const Finished run = run_program(faulty("call:" + std::to_string(call)));
      status = run.status;
      EXPECT_TRUE(status == 0 || status == 2) << status << run.err;
      expect_nothing_half(status == 0, false);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Writing, OnADiskWithRoomForSomeBytesHasStatusTwoOrAllOfIt) {
  std::size_t size = 0;
  for (const auto& [name, text] : whole_) size += text.size();
  const std::size_t step = size / 6 + 1;
  for (std::size_t room = 0, status = 2; status != 0 && room < 20 * size; room += step) {
    SCOPED_TRACE(room);
    start_anew(false);
    const Finished run = run_program(faulty("bytes:" + std::to_string(room)));
    status = static_cast<std::size_t>(run.status);
    EXPECT_TRUE(run.status == 0 || run.status == 2) << run.status << run.err;
    expect_nothing_half(run.status == 0, false);
    if (HasFailure()) return;
  }
}

TEST_P(Writing, EndedAtAnyCallLeavesNothingHalfAndTheNextRunWorks) {
  for (const char* const signals : {"2", "15,15", "9"}) {
    const bool is_kill = std::string(signals) == "9";
    bool is_over = false;
    for (int call = 0; !is_over && call < 1000; call = next_call(call)) {
      SCOPED_TRACE(signals + std::string(" at call ") + std::to_string(call));
      start_anew(true);
      const Finished run = run_program(faulty("signal:" + std::to_string(call), signals));
      is_over = run.err.find("signals: ") == std::string::npos;
      expect_nothing_half(is_over, is_kill);
      if (is_kill) expect_next_run_works();
      if (HasFailure()) return;
    }
    EXPECT_TRUE(is_over);
  }
}

/// Signals after some seconds, all of which a process in the background heeds.
constexpr const char* kSignalled =
    R"(at=$1 first=$2 later=$3 second=$4; shift 4
"$@" & p=$!; sleep "$at"; kill -$first $p; sleep "$later"; kill -$second $p; wait $p)";

/// POET_CASES=50 makes some 600 kills of all commands together.
TEST_P(Writing, EndedAtAnyTimeLeavesNothingHalfAndTheNextRunWorks) {
  const double seconds = run_program(command(GetParam().arguments)).wall_seconds;
  for_cases(2, [&](int n) {
    start_anew(true);
    std::mt19937 draw(static_cast<unsigned>(n));
    std::uniform_real_distribution<double> share(0, 1);
    const bool is_kill = n % 2 == 1;
    Command run = command(Words{"-c", kSignalled, "sh", std::to_string(seconds * share(draw)),
                                is_kill ? "KILL" : "TERM", std::to_string(0.01 * share(draw)),
                                n % 4 == 0 ? "TERM" : "HUP", POET_SOLVE} +
                          GetParam().arguments);
    run.program = "/bin/sh";
    run_program(run);
    expect_nothing_half(false, is_kill);
    expect_next_run_works();
  });
}

class SweepToStdout : public testing::Test {
 protected:
  Finished run(const std::string& redirection, const std::string& fault = {}) const {
    return run_program(
        {.program = "/bin/sh",
         .arguments = Words{"-c", "exec \"$@\" " + redirection, "sh", "env",
                            std::string("LD_PRELOAD=") + POET_FAULTY_DISK, POET_SOLVE} +
                      grid_,
         .environment = {{"POET_TEST_DISK", fault}},
         .directory = folder_.path()});
  }

  TemporaryFolder folder_;
  Words grid_ = sweep("linear", "m4", "60%,70%,80%", "2", {"-q"});
};

TEST_F(SweepToStdout, ThatIsFullOrClosedHasStatusTwo) {
  EXPECT_EQ(run(">&-").status, 2);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(run("> /dev/full").status, 2);
  grid_ = grid_ + Words{"--format", "csv"};
  EXPECT_EQ(run("> /dev/full").status, 2);
}

TEST_F(SweepToStdout, ThatIsAFileKeepsItsPointsUntilAllRowsAreThere) {
  int goes_on = 0;
  int status = 2;
  for (int room = 0; status == 2; room += 500) {
    SCOPED_TRACE(room);
    std::filesystem::remove(folder_.file("r.jsonl.partial"));
    status = run("> r.jsonl", "bytes:" + std::to_string(room)).status;
    if (status != 2 || !std::filesystem::exists(folder_.file("r.jsonl.partial"))) continue;
    Command resume = poet_solve_command({"sweep", "--resume", "r.jsonl"});
    resume.directory = folder_.path();
    if (run_program(resume).status != 0) continue;  // its first line is torn
    ++goes_on;
    EXPECT_EQ(lines_of(folder_.file("r.jsonl")).size(), 3U);
    std::filesystem::remove(folder_.file("r.jsonl.request"));
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(goes_on, 3);
  EXPECT_THAT(folder_.contents(), testing::ElementsAre("r.jsonl"));
  EXPECT_EQ(lines_of(folder_.file("r.jsonl")).size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Of, Writing, testing::ValuesIn(writers()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poet::test
