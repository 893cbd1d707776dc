// Every kind of bad input: exit status 2, one message with the place and what was expected, one
// error document, and no file left behind.
#include <unistd.h>

#include <functional>
#include <ostream>

#include "cli/poet_solve.hpp"

namespace poet::test {
namespace {

struct BadInput {
  std::string name;
  std::function<Words(const TemporaryFolder&)> arguments;
  std::vector<std::string> says;  ///< parts of the message: the place, what was expected
  std::string stdin_text{};
};

void PrintTo(const BadInput& bad, std::ostream* out) {
  *out << bad.name;
}

/// A complete command line with one option changed.
std::function<Words(const TemporaryFolder&)> with(const std::string& option,
                                                  const std::string& value) {
  return [=](const TemporaryFolder&) {
    Words words = quick_problem();
    const auto at = std::find(words.begin(), words.end(), option);
    if (at == words.end()) return words + Words{option, value};
    *(at + 1) = value;
    return words;
  };
}

std::function<Words(const TemporaryFolder&)> without(const std::string& option) {
  return [=](const TemporaryFolder&) {
    Words words = quick_problem();
    const auto at = std::find(words.begin(), words.end(), option);
    words.erase(at, at + 2);
    return words;
  };
}

/// A row for a model file with this text.
BadInput model_text(const std::string& name, const std::string& text, Words says) {
  return {.name = name,
          .arguments =
              [text](const TemporaryFolder& folder) {
                return problem(folder.write("model.json", text), "m4", "3500", "2");
              },
          .says = std::move(says)};
}

std::vector<BadInput> option_rows() {
  const std::string size = "expected a size";
  return {
      {"UnknownModel",
       with("--model", "resnet18_cifr"),
       {"--model: unknown model 'resnet18_cifr'", "did you mean 'resnet18_cifar'?"}},
      {"UnknownModelByItsBeginning", with("--model", "lin"), {"did you mean 'linear'?"}},
      {"UnknownPlatform",
       with("--platform", "jetson"),
       {"--platform: unknown platform 'jetson'", "did you mean 'jetsontx2'?"}},
      {"UnknownOption", with("--bogus", "1"), {"--bogus", "--help"}},
      {"RepeatedOption",
       [](const TemporaryFolder&) {
         return quick_problem() + Words{"--model", "bert"};
       },
       {"--model"}},
      {"MissingModel", without("--model"), {"--model: missing; expected"}},
      {"MissingPlatform", without("--platform"), {"--platform: missing; expected"}},
      {"MissingRamBudget", without("--ram-budget"), {"--ram-budget: missing; expected"}},
      {"MissingRuntimeBudget",
       without("--runtime-budget"),
       {"--runtime-budget: missing; expected"}},
      {"MissingValue", [](const TemporaryFolder&) { return Words{"--model"}; }, {"--model"}},
      {"RamSuffix", with("--ram-budget", "12XB"), {"--ram-budget: found '12XB'", size}},
      {"RamEmpty", with("--ram-budget", ""), {"--ram-budget: missing", "expected a size"}},
      {"RamShareBelowAByte",
       with("--ram-budget", "0.0000001%"),
       {"--ram-budget", "less than one byte"}},
      {"RamOfAChipThatIsNotStated",
       [](const TemporaryFolder&) { return problem("linear", "a72", "chip", "2"); },
       {"--ram-budget: found 'chip', but no platform states", "expected a size", "ram_bytes"}},
      {"RuntimeBelowOne",
       with("--runtime-budget", "0.99"),
       {"--runtime-budget: found '0.99'", "expected", "1"}},
      {"RuntimeUnit", with("--runtime-budget", "5parsecs"), {"--runtime-budget: found '5parsecs'"}},
      {"BatchOfABuiltInModelWithout",
       [](const TemporaryFolder&) {
         return problem("bert", "m4", "60%", "1") + Words{"--batch-size", "2"};
       },
       {"--model: built-in bert: the batch size is 2"}},
      {"BatchZero", with("--batch-size", "0"), {"--batch-size: found 0; expected at least 1"}},
      {"BatchNegative",
       with("--batch-size", "-1"),
       {"--batch-size: found -1; expected at least 1"}},
      {"BatchText",
       with("--batch-size", "two"),
       {"--batch-size: found 'two'; expected a whole number"}},
      {"BatchAbsurd",
       with("--batch-size", "9000000000000000000"),
       {"--model: ", "/input/shape", "expected at most"}},
      {"BatchWithoutDimension",
       [](const TemporaryFolder& folder) {
         return problem(folder.write("model.json", measured_model()), "m4", "60", "1") +
                Words{"--batch-size", "2"};
       },
       {"model.json", "batch"}},
      {"GapNegative", with("--gap", "-0.1"), {"--gap: found -0.1; expected"}},
      {"GapText", with("--gap", "small"), {"--gap: found 'small'; expected a number"}},
      {"TimeLimitNegative", with("--time-limit-s", "-1"), {"--time-limit-s: found -1; expected"}},
      {"TimeLimitOverflow", with("--time-limit-s", "1e400"), {"--time-limit-s: found '1e400'"}},
      {"MemoryLimitText",
       with("--memory-limit", "small"),
       {"--memory-limit: found 'small'; expected a size from 0"}},
      {"MemoryLimitNegative", with("--memory-limit", "-1"), {"--memory-limit: found '-1'"}},
      {"MemoryLimitShare", with("--memory-limit", "60%"), {"--memory-limit: found '60%'"}},
      {"PowerScaleNegative", with("--mem-power-scale", "-1"), {"--mem-power-scale: found -1"}},
      {"ThreadsZero", with("--solve-threads", "0"), {"--solve-threads: found 0; expected 1"}},
      {"SeedNegative", with("--seed", "-1"), {"--seed: found '-1'; expected a whole number"}},
      {"BothFromStdin",
       [](const TemporaryFolder&) { return problem("-", "-", "1MB", "2"); },
       {"--model", "stdin"}}};
}

std::vector<BadInput> file_rows() {
  const auto sparse = [](const TemporaryFolder& folder) {
    const std::string path = folder.write("model.json", "{");
    std::filesystem::resize_file(path, 200'000'000);  // a hole, no real bytes
    return problem(path, "m4", "3500", "2");
  };
  const auto truncated = [](const TemporaryFolder& folder) {
    const std::string whole = contents_of(POET_SOURCE_DIR "/models/linear.json");
    return problem(folder.write("model.json", whole.substr(0, whole.size() / 2)), "m4", "1MB", "2");
  };
  const auto platform = [](const std::string& text) {
    return [text](const TemporaryFolder& folder) {
      return problem("linear", folder.write("board.json", text), "1MB", "2");
    };
  };
  return {
      {"FileMissing", with("--model", "none.json"), {"none.json", "No such file"}},
      {"FileIsADirectory",
       [](const TemporaryFolder& folder) { return problem(folder.path(), "m4", "1MB", "2"); },
       {"it is a directory, expected a file"}},
      {"FileOf200Megabytes", sparse, {"model.json", "larger than 64 MiB"}},
      {"FileTruncated", truncated, {"model.json:9:33", "expected"}},
      model_text("FileEmpty", "", {"model.json:1:1", "expected a JSON object"}),
      model_text("FileBinary",
                 std::string("\x7f"
                             "ELF\x02\x00\xff",
                             7),
                 {"model.json:1:", "binary file"}),
      model_text("FileNotJson", "model: linear\n", {"model.json:1:1", "expected a JSON object"}),
      model_text("ShapeOfASchedule", R"({"format": "poet-schedule", "version": 1})",
                 {"/format", "expected \"poet-model\""}),
      model_text("NestedTooDeep", std::string(100000, '['), {"model.json", "nested"}),
      {"StdinEmpty", with("--model", "-"), {"stdin:1:1", "expected a JSON object"}},
      {"PlatformFileEmpty", platform(""), {"board.json:1:1"}},
      {"PlatformFileIsAModel", platform(measured_model()), {"/format", "\"poet-platform\""}},
      {"PlatformSpeedOfZero",
       platform(R"({"format": "poet-platform", "version": 1, "name": "x",
 "flops_per_second": 0})"),
       {"board.json: /flops_per_second", "expected"}},
      {"PlatformEraseCyclesBeyondDouble",
       [](const TemporaryFolder& folder) {
         std::string board = contents_of(POET_SOURCE_DIR "/platforms/m4.json");
         board.insert(board.rfind('}'), R"(, "storage_bytes": 1000000000, "erase_cycles": 1e300)");
         return problem("linear", folder.write("board.json", board), "3500", "2") +
                Words{"--no-remat", "--paging-time", "blocking"};
       },
       {"board.json: /erase_cycles: found the number 1e+300"}},
      {"PlatformKeyUnknown",
       platform(R"({"format": "poet-platform", "version": 1, "name": "x",
 "flops": 1})"),
       {"/flops: found an unknown key, expected"}}};
}

std::vector<BadInput> rows() {
  std::vector<BadInput> all = option_rows();
  for (BadInput& row : file_rows()) all.push_back(std::move(row));
  return all;
}

class BadInputs : public testing::TestWithParam<BadInput> {
 protected:
  /// Runs it in a folder of its own, in which only the input files may be afterwards.
  Finished run(const Words& more) {
    Command command = poet_solve_command(GetParam().arguments(inputs_) + more);
    command.stdin_text = GetParam().stdin_text;
    command.directory = place_.path();
    return run_program(command);
  }

  TemporaryFolder inputs_;
  TemporaryFolder place_;
};

TEST_P(BadInputs, EndsWithTwoAndOneMessageThatSaysWhereAndWhatWasExpected) {
  const Finished finished = run({});
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_EQ(count_lines(finished.err), 1U) << finished.err;
  EXPECT_LT(finished.err.size(), 1000U);
  for (const std::string& part : GetParam().says) EXPECT_THAT(finished.err, HasSubstr(part));
  const auto file = document(finished);
  expect_error_document(file, 2);
  EXPECT_EQ(file.value("status", ""), "error");
  // What is said to people is said to programs.
  EXPECT_THAT(finished.err, HasSubstr(file.value("error", "no error")));
  EXPECT_THAT(place_.contents(), testing::IsEmpty());
}

TEST_P(BadInputs, LeaveTheErrorAtOutputAndNothingElse) {
  const Finished finished =
      run({"--output", "out.json", "--export-model", "milp.lp", "--plot-directory", "plots"});
  if (finished.out.empty()) {
    EXPECT_THAT(place_.contents(), testing::ElementsAre("out.json"));
    expect_error_document(as_document(contents_of(place_.file("out.json"))), 2);
  } else {  // a missing value takes "--output" for a value
    expect_error_document(document(finished), 2);
  }
  EXPECT_EQ(finished.status, 2);
}

INSTANTIATE_TEST_SUITE_P(Each, BadInputs, testing::ValuesIn(rows()),
                         [](const auto& instance) { return instance.param.name; });

TEST(BadModel, HasEveryMistakeOnALineOfItsOwnAndInTheDocument) {
  const TemporaryFolder folder;
  std::string text = measured_model();
  text.replace(text.find("\"bytes\": 10"), 11, "\"bytes\": -1");
  text.replace(text.rfind("\"b\""), 3, "\"bb\"");
  const std::string path = folder.write("model.json", text);
  const Finished run = poet_solve(problem(path, "m4", "60", "1"));
  EXPECT_EQ(run.status, 2);
  const std::string first = "--model: " + path + ": /nodes/0/bytes: found the number -1, expected";
  const std::string second = "--model: " + path + ": /nodes/2/inputs/1: found 'bb'";
  EXPECT_EQ(count_lines(run.err), 2U) << run.err;
  EXPECT_THAT(run.err, testing::StartsWith("poet-solve: error: " + first));
  EXPECT_THAT(run.err, HasSubstr("\npoet-solve: error: " + second));
  const auto file = document(run);
  expect_error_document(file, 2);
  EXPECT_THAT(file.at("error"), testing::StartsWith(first));
  EXPECT_THAT(file.at("error"), HasSubstr("\n" + second));
}

TEST(BadModel, InWhichNothingTrainsIsAnErrorOfAllThatTrain) {
  constexpr std::string_view kFrozen = R"({"format": "poet-model", "version": 2, "name": "frozen",
 "input": {"shape": ["N", 4]}, "backward": "exact",
 "layers": [{"name": "fc", "op": "linear", "inputs": ["input"], "out_features": 2, "trainable": false},
            {"name": "loss", "op": "cross_entropy_loss", "inputs": ["fc"], "classes": 2}]})";
  const TemporaryFolder folder;
  const std::string model = folder.write("frozen.json", kFrozen);
  const std::string schedule = folder.file("schedule.json");
  const Words limits{"--ram-budget", "100%", "--runtime-budget", "2"};
  const Words forward{"--backward", "none"};
  const Words on{"--platform", "m4"};
  const Words solve = Words{"--model", model} + on + limits + Words{"--output", schedule};
  const Words sweep = Words{"sweep", "--models", model, "--platforms", "m4"} + limits;
  for (const Words& command :
       {solve, sweep, Words{"info", model}, Words{"advise", "--model", model} + on + limits,
        Words{"baselines", "--model", model} + on + limits}) {
    const Finished refused = poet_solve(command);
    EXPECT_EQ(refused.status, 2) << testing::PrintToString(command);
    EXPECT_THAT(
        refused.err,
        HasSubstr("frozen.json: nothing trains in this model: set \"trainable\" of a layer, "
                  "such as 'fc', or use --backward none"));
    EXPECT_EQ(poet_solve(command + forward).status, 0) << testing::PrintToString(command);
  }
  EXPECT_EQ(poet_solve({"run", schedule, "--model", model}).status, 0);
  EXPECT_EQ(poet_solve({"export", schedule, "--model", model, "--output", folder.file("c")}).status,
            0);
}

TEST(BadOutput, ThatCannotBeWrittenIsSaidOnceWithTheErrorOnStdout) {
  const TemporaryFolder folder;
  for (const std::string& path : {std::string("/nonexistent/s.json"), folder.path()}) {
    for (const char* option : {"--output", "--export-model"}) {
      const Finished run = poet_solve(quick_problem() + Words{"-q", option, path});
      EXPECT_EQ(run.status, 2) << option << path;
      EXPECT_EQ(count_lines(run.err), 1U) << run.err;
      EXPECT_THAT(run.err, HasSubstr(std::string(option) + ": " + path));
      expect_error_document(document(run), 2);
      EXPECT_THAT(folder.contents(), testing::IsEmpty());
    }
  }
}

TEST(BadOutput, IsFoundBeforeTheSolve) {
  const Finished run = poet_solve(slow_problem() + Words{"--output", "/nonexistent/s.json"});
  EXPECT_EQ(run.status, 2);
  EXPECT_LT(run.wall_seconds, 2);
}

TEST(BadPlotDirectory, ThatIsAFileIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.write("plots", "");
  const Finished run = poet_solve(quick_problem() + Words{"--plot-directory", path});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--plot-directory"));
  expect_error_document(document(run), 2);
}

TEST(BadFile, ThatMayNotBeReadIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.write("model.json", measured_model());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const Finished run = poet_solve(problem(path, "m4", "1MB", "2"));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("model.json: cannot read: Permission denied"));
  expect_error_document(document(run), 2);
}

}  // namespace
}  // namespace poet::test
