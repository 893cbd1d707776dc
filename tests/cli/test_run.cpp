// The command that runs schedules.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "cli/moved_schedule.hpp"
#include "cli/poet_solve.hpp"
#include "support/cases.hpp"

namespace poet::test {
namespace {

class Run : public testing::Test {
 protected:
  /// Solves a model with the exact backward pass for `schedule_`.
  Finished solved(const std::string& model, const std::string& ram, const Words& options) const {
    return poet_solve(problem(model, "m4", ram, "3") +
                      Words{"--backward", "exact", "--effort", "fast", "--time-limit-s", "5",
                            "--replace", "--output", schedule_} +
                      options);
  }

  /// The path of such a schedule, which there is.
  std::string solve(const std::string& model, const std::string& ram,
                    const Words& options = {}) const {
    const Finished finished = solved(model, ram, options);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return schedule_;
  }

  static Finished run(const std::string& path, const std::string& model,
                      const Words& options = {}) {
    return poet_solve(Words{"run", path, "--model", model} + options);
  }

  TemporaryFolder folder_;
  std::string schedule_ = folder_.file("schedule.json");
};

struct Case {
  const char* name;
  const char* model;
  const char* ram;
  Words options;
  bool is_tight = true;  ///< it takes recomputation or paging
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

class RunOf : public Run, public testing::WithParamInterface<Case> {};

TEST_P(RunOf, GivesTheGradientsOfTheUnscheduledStep) {
  const Case& about = GetParam();
  const std::string path = solve(about.model, about.ram, about.options);
  const json schedule = json::parse(contents_of(path));
  const json& summary = schedule.at("summary");
  const int recomputed = summary.at("recompute_count");
  const int paged_in = summary.at("page_in_count");
  EXPECT_EQ(recomputed + paged_in > 0, about.is_tight);
  const Finished finished = run(path, about.model, {"--check", "--steps", "2"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("gradients equal to the unscheduled step's, bit for bit"));
  const json result = document(finished);
  EXPECT_EQ(result.at("format"), "poet-run");
  EXPECT_EQ(result.at("equal"), true);
  EXPECT_EQ(result.at("losses").size(), 2U);
  EXPECT_EQ(result.at("arena_bytes"), summary.at("peak_ram_bytes"));
  EXPECT_EQ(result.at("peak_touched_bytes"), summary.at("peak_ram_bytes"));
  EXPECT_EQ(result.at("page_in_bytes"), 2 * summary.at("page_in_bytes").get<int>());
  for (const json& gradient : result.at("gradients")) {
    EXPECT_EQ(gradient.at("equal"), true);
    EXPECT_EQ(gradient.at("sha256").get<std::string>().size(), 64U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Budgets, RunOf,
    testing::Values(
        Case{"LinearKeepAll", "linear", "100%", {}, false}, Case{"LinearBoth", "linear", "60%", {}},
        Case{"LinearSmallest", "linear", "min", {"--no-remat"}},
        Case{"DsCnnKeepAll", "ds_cnn", "100%", {}, false},
        Case{"DsCnnRemat", "ds_cnn", "70%", {"--no-paging"}},
        Case{"DsCnnPaging", "ds_cnn", "50%", {"--no-remat"}},
        Case{"DsCnnOverlapped", "ds_cnn", "60%", {"--no-remat", "--paging-time", "overlapped"}},
        Case{"ResnetRemat", "resnet18_cifar", "50%", {"--no-paging"}}),
    [](const auto& each) { return each.param.name; });

// Every model with an exact backward pass, with both techniques and with one of them:
// POET_CASES=45.
TEST_F(Run, GivesTheGradientsOfEveryModel) {
  const Words models = words_of(
      "linear mcunet_vww mobilenet_v2_035_96 resnet18_cifar ds_cnn mobilenet_v2_035_128 "
      "mobilenet_v2_035_224 mobilenet_v2_100_224 vgg16_cifar vit_tiny gpt2_tiny unet_small "
      "resnet18 resnet50 transformer");
  const std::vector<Words> techniques = {{}, {"--no-paging"}, {"--no-remat"}};
  const int all = static_cast<int>(models.size() * techniques.size());
  const CaseRange range = wanted_cases(3);
  for (int i = range.first; i < std::min(all, range.first + range.count); ++i) {
    const std::string& model = models[static_cast<std::size_t>(i) / techniques.size()];
    const Words& options = techniques[static_cast<std::size_t>(i) % techniques.size()];
    // One gradient of transformer takes nearly as much as everything together.
    const Finished found = solved(model, model == "transformer" ? "98%" : "75%", options);
    if (found.status == 3 && !options.empty()) continue;  // it takes both techniques
    ASSERT_EQ(found.status, 0) << model << " " << i << ": " << found.err;
    Command command = poet_solve_command({"run", schedule_, "--model", model, "--check"});
    command.kill_after_seconds = 600;
    const Finished finished = run_program(command);
    EXPECT_EQ(finished.status, 0) << model << " " << i << ": " << finished.err;
    EXPECT_EQ(document(finished).value("equal", false), true) << model << " " << i;
  }
}

TEST_F(Run, TakesTheOffsetsAndMovesOfAPlacedSchedule) {
  const std::string path = solve("ds_cnn", "60%", {"--no-remat"});
  const json gradients = document(run(path, "ds_cnn")).at("gradients");
  json placed = document(poet_solve({"place", path}));
  EXPECT_EQ(document(run(folder_.write("placed.json", placed.dump()), "ds_cnn")).at("gradients"),
            gradients);

  const MovedSchedule changed = move_one_tensor(placed);
  const Finished moved =
      run(folder_.write("moved.json", changed.file.dump()), "ds_cnn", {"--check"});
  ASSERT_EQ(moved.status, 0) << moved.err;
  EXPECT_EQ(document(moved).at("moved_bytes"), changed.bytes);
  EXPECT_EQ(document(moved).at("arena_bytes"), changed.arena_bytes);
  EXPECT_EQ(document(moved).at("gradients"), gradients);
}

TEST_F(Run, RefusesWhatIsNoTrainingStepInFloats) {
  const std::string chain = folder_.file("chain.json");
  poet_solve(quick_problem() + Words{"--output", chain});
  const Finished of_chain = run(chain, "linear");
  EXPECT_EQ(of_chain.status, 2);
  EXPECT_THAT(of_chain.err, HasSubstr("the backward pass 'poet-chain', which is not a training"));
  EXPECT_EQ(of_chain.out, "");

  const std::string nodes = folder_.write("nodes.json", measured_model());
  const std::string measured = folder_.file("measured.json");
  poet_solve(
      {"--model", nodes, "--ram-budget", "60", "--runtime-budget", "2", "--output", measured});
  EXPECT_THAT(run(measured, nodes).err, HasSubstr("the backward pass 'explicit'"));

  const std::string small = folder_.write("int8.json", R"({"format": "poet-model", "version": 2,
    "name": "int8", "dtype": "int8", "input": {"shape": [2, 4]}, "layers": [
    {"name": "fc", "op": "linear", "inputs": ["input"], "out_features": 3},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3}]})");
  const std::string schedule = solve(small, "100%");
  const Finished of_int8 = run(schedule, small);
  EXPECT_EQ(of_int8.status, 2);
  EXPECT_THAT(of_int8.err, HasSubstr("found elements of 1 byte; expected 4"));
  EXPECT_THAT(run(schedule, "linear").err, HasSubstr("found a model with the SHA-256"));
}

/// Files of this process, and of those that it starts, end at this size until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Run, ReportsAPageFileThatCannotGrowEndsOrIsNone) {
  const std::string path = solve("linear", "60%", {"--no-remat"});
  const std::string output = folder_.write("run.json", "an earlier one");
  const auto error_with = [&](const std::string& storage) {
    const Finished finished = run(path, "linear", {"--storage", storage, "--output", output});
    EXPECT_EQ(finished.status, 2) << storage;
    EXPECT_EQ(finished.out, "") << storage;
    EXPECT_EQ(contents_of(output), "an earlier one") << storage;
    return finished.err;
  };
  const std::string pages = folder_.file("pages");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT(error_with(pages),
                HasSubstr("pages: page-out of 3136 bytes at offset 0: File too"));
  }
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_with(pipe), HasSubstr("pipe: page-out of 3136 bytes at offset 0: "));
  EXPECT_THAT(error_with("/dev/null"),
              HasSubstr("/dev/null: page-in of 3136 bytes at offset 0: the file ends before"));
  EXPECT_THAT(error_with(folder_.path()), HasSubstr("it is a directory; expected a file name"));
  EXPECT_THAT(error_with(folder_.file("nowhere/pages")), HasSubstr("nowhere' is not a directory"));
  EXPECT_EQ(folder_.contents(), (Words{"pages", "pipe", "run.json", "schedule.json"}));
}

TEST_F(Run, WritesNoPagesOverItsOwnFiles) {
  const std::string path = solve("linear", "60%", {"--no-remat"});
  const std::string before = contents_of(path);
  const std::string link = folder_.file("link.json");
  std::filesystem::create_hard_link(path, link);
  for (const std::string& storage : {path, link, folder_.path() + "/./schedule.json"}) {
    const Finished finished = run(path, "linear", {"--storage", storage});
    EXPECT_EQ(finished.status, 2) << storage;
    EXPECT_THAT(finished.err, HasSubstr("the same file as SCHEDULE; expected another one"));
    EXPECT_EQ(contents_of(path), before) << storage;
  }
  const std::string model =
      folder_.write("model.json", contents_of(POET_SOURCE_DIR "/models/linear.json"));
  EXPECT_THAT(run(path, model, {"--storage", model}).err, HasSubstr("the same file as --model"));
  const std::string output = folder_.file("run.json");
  EXPECT_THAT(run(path, "linear", {"--storage", output, "--output", output}).err,
              HasSubstr("--output: found " + output + ", the same file as --storage"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(Run, RefusesAPlanForAnotherModelAndABrokenOne) {
  const std::string path = solve("linear", "60%", {"--no-remat"});
  const std::string text = contents_of(path);
  const std::string output = folder_.file("run.json");
  const auto error_of = [&](const std::string& schedule, const std::string& model, int status) {
    const Finished finished =
        run(folder_.write("changed.json", schedule), model, {"--output", output});
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.out, "");
    EXPECT_FALSE(std::filesystem::exists(output));
    return finished.err;
  };
  // The same nodes, by names, sizes and edges, but the file is another one.
  std::string model = contents_of(POET_SOURCE_DIR "/models/linear.json");
  const std::string tanh = folder_.write(
      "tanh.json", model.replace(model.find(R"("op": "relu")"), 12, R"("op": "tanh")"));
  EXPECT_THAT(error_of(text, tanh, 2), HasSubstr("tanh.json: found a model with the SHA-256"));
  EXPECT_THAT(error_of(text, "ds_cnn", 2), HasSubstr("the model 'linear' which"));
  // Another model that the file claims to be about.
  json claimed = json::parse(text);
  claimed["model"]["sha256"] =
      document(poet_solve({"info", tanh, "--json"})).at("model").at("sha256");
  EXPECT_EQ(run(folder_.write("claimed.json", claimed.dump()), tanh).status, 0);
  claimed["nodes"][1]["name"] = "other";
  EXPECT_THAT(error_of(claimed.dump(), tanh, 2), HasSubstr("node 1 is 'other'; expected 'fc1'"));

  EXPECT_THAT(error_of(text.substr(0, text.size() / 2), "linear", 2), HasSubstr("changed.json:"));
  EXPECT_THAT(error_of("", "linear", 2), HasSubstr("changed.json"));
  json changed = json::parse(text);
  changed["program"][0]["node"] = 99;
  EXPECT_NE(error_of(changed.dump(), "linear", 5), "");
  changed = json::parse(text);
  changed["program"][0]["offset"] = -4;
  EXPECT_THAT(error_of(changed.dump(), "linear", 2),
              HasSubstr("/program/0/offset: found the number -4"));
}

TEST_F(Run, NeedsAFolderForItsTemporaryPageFile) {
  Command command = poet_solve_command({"run", solve("linear", "100%"), "--model", "linear"});
  command.environment = {{"TMPDIR", folder_.file("nowhere")}};
  const Finished finished = run_program(command);
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("the folder for temporary files cannot be used: No such"));
  command.arguments = command.arguments + Words{"--storage", folder_.file("pages"), "--fsync"};
  EXPECT_EQ(run_program(command).status, 0);
}

TEST_F(Run, NeedsAModelAndSensibleNumbers) {
  EXPECT_EQ(poet_solve({"run"}).status, 2);
  EXPECT_THAT(poet_solve({"run", "none.json"}).err, HasSubstr("--model"));
  EXPECT_EQ(run("none.json", "linear").status, 2);
  EXPECT_THAT(run("none.json", "linear", {"--steps", "0"}).err, HasSubstr("expected at least 1"));
  EXPECT_EQ(poet_solve({"run", "-", "--model", "-"}, "{}").status, 2);
}

}  // namespace
}  // namespace poet::test
