// What `export` writes is compiled and run here, and computes what `run` computes.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "cli/exported_files.hpp"
#include "cli/moved_schedule.hpp"
#include "support/tiny_steps.hpp"

namespace poet::test {
namespace {

/// A small network with much of what a plan can have: statistics, dropped elements, a skip, a pool
/// with indices, and momentum.
std::string mixed_model(const std::string& update) {
  return R"({"format": "poet-model", "version": 2, "name": "mixed", "optimizer": "momentum",
 "update": ")" +
         update + R"(", "input": {"shape": [2, 3, 12, 12]}, "layers": [
 {"name": "conv1", "op": "conv2d", "inputs": ["input"], "out_channels": 8, "kernel": 3,
  "padding": 1},
 {"name": "bn1", "op": "batch_norm2d", "inputs": ["conv1"]},
 {"name": "relu1", "op": "relu", "inputs": ["bn1"]},
 {"name": "drop", "op": "dropout", "inputs": ["relu1"]},
 {"name": "conv2", "op": "conv2d", "inputs": ["drop"], "out_channels": 8, "kernel": 3,
  "padding": 1},
 {"name": "sum", "op": "add", "inputs": ["conv2", "drop"]},
 {"name": "pool", "op": "max_pool2d", "inputs": ["sum"], "kernel": 2},
 {"name": "flat", "op": "flatten", "inputs": ["pool"]},
 {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 5},
 {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 5}]})";
}

struct ExportedCase {
  const char* name;
  const char* model;  ///< built-in; or the update of the mixed model
  const char* ram;
  Words options;
};

std::ostream& operator<<(std::ostream& out, const ExportedCase& each) {
  return out << each.name;
}

using ExportedSteps = Export;

class ExportOf : public Export, public testing::WithParamInterface<ExportedCase> {};

TEST_P(ExportOf, ComputesWhatRunComputes) {
  const ExportedCase& about = GetParam();
  const bool is_mixed = std::string(about.name).starts_with("Mixed");
  const std::string model =
      is_mixed ? folder_.write("mixed.json", mixed_model(about.model)) : about.model;
  const std::string path = solved(model, about.ram, about.options);
  const json summary = json::parse(contents_of(path)).at("summary");
  const Finished finished = exported(path, {"--model", model});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(file_of("poet_plan.h"),
              HasSubstr("#define POET_ARENA_BYTES " + summary.at("peak_ram_bytes").dump() + "\n"));
  const std::string gradients = folder_.file("gradients");
  const std::string program = built();
  const Finished step = run_step(program, {"3", "7", gradients});
  ASSERT_EQ(step.status, 0) << step.out << step.err;
  const json run =
      document(poet_solve({"run", path, "--model", model, "--steps", "3", "--seed", "7"}));
  expect_same(run, step.out, contents_of(gradients));
  expect_same_statistics(run, contents_of(gradients + ".running"));
  EXPECT_EQ(run.contains("statistics"), std::string(about.model) != "linear");
  // A device that does not want them trains alike.
  const std::string others = folder_.file("others");
  EXPECT_EQ(run_step(program, {"3", "7", others, "-1", "without"}).out, step.out);
  EXPECT_EQ(contents_of(others), contents_of(gradients));
  EXPECT_FALSE(std::filesystem::exists(others + ".running"));
}

INSTANTIATE_TEST_SUITE_P(
    Models, ExportOf,
    testing::Values(ExportedCase{"LinearKeepAll", "linear", "100%", {}},
                    ExportedCase{"LinearPaging", "linear", "60%", {"--no-remat"}},
                    ExportedCase{"DsCnnRemat", "ds_cnn", "70%", {"--no-paging"}},
                    ExportedCase{"DsCnnPaging", "ds_cnn", "50%", {"--no-remat"}},
                    ExportedCase{"ResnetBoth", "resnet18_cifar", "50%", {}},
                    ExportedCase{"MixedFused", "fused", "60%", {}},
                    ExportedCase{"MixedBuffered", "buffered", "100%", {}},
                    ExportedCase{"MixedAccumulatePaging", "accumulate", "60%", {"--no-remat"}}),
    [](const auto& each) { return each.param.name; });

// Of a byte, with recomputation and pages, and of a bit.
TEST_F(ExportedSteps, ReadCopiesAsRunDoes) {
  const std::string model = folder_.write("mixed.json", mixed_model("fused"));
  seconds_ = "60";  // CBC finds the first schedule with bytes
  for (const json& copies :
       {json{{"mode", "int8"}, {"tensors", {"input", "conv1", "relu1", "drop", "pool"}}},
        json{{"mode", "exact"}, {"tensors", {"relu1"}}}}) {
    const std::string path = solved(model, copies["mode"] == "int8" ? "50%" : "70%",
                                    {"--copies", folder_.write("copies.json", copies.dump())});
    const json summary = json::parse(contents_of(path)).at("summary");
    if (copies["mode"] == "int8") {
      EXPECT_GT(summary.at("recompute_count"), 0);
      EXPECT_GT(summary.at("page_out_count"), 0);
    }
    const Finished finished = exported(path, {"--model", model});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const std::string gradients = folder_.file("gradients");
    const Finished step = run_step(built(), {"3", "7", gradients});
    ASSERT_EQ(step.status, 0) << step.out << step.err;
    const Finished ran = poet_solve({"run", path, "--model", model, "--steps", "3", "--seed", "7"});
    EXPECT_THAT(ran.err, HasSubstr(copies["mode"] == "exact" ? "copies change no gradient"
                                                             : "copies change the gradient of"));
    const json run = document(ran);
    expect_same(run, step.out, contents_of(gradients));
    for (const json& gradient : run.at("gradients")) {
      const double difference = gradient.at("relative_difference");
      EXPECT_LT(difference, 0.3) << gradient;
      EXPECT_EQ(difference == 0, copies["mode"] == "exact") << gradient;
      EXPECT_GT(gradient.at("cosine").get<double>(), 0.95) << gradient;
    }
  }
}

/// The largest models first, a model only if it has an op that none before has, or one of which
/// other parameters train. They are compiled, and each call states all members of its spec.
std::vector<Tiny> models_of_every_op() {
  std::vector<Tiny> tiny = tiny_steps();
  std::stable_sort(tiny.begin(), tiny.end(),
                   [](const Tiny& a, const Tiny& b) { return a.text.size() > b.text.size(); });
  std::set<std::string> ops;
  std::vector<Tiny> kept;
  for (Tiny& each : tiny) {
    const std::size_t before = ops.size();
    const json model = json::parse(each.text);
    for (const json& layer : model.at("layers")) {
      ops.insert(layer.at("op").get<std::string>() + layer.value("trainable", json()).dump());
    }
    if (ops.size() > before) kept.push_back(std::move(each));
  }
  return kept;
}

/// Every op, and every update with every optimizer, as model files by name.
std::vector<std::pair<std::string, std::string>> all_models() {
  std::vector<std::pair<std::string, std::string>> models;
  for (const Tiny& tiny : models_of_every_op()) models.emplace_back(tiny.name, tiny.text);
  for (const char* update : {"fused", "buffered", "accumulate"}) {
    for (const char* optimizer : {"sgd", "momentum", "adam"}) {
      models.emplace_back(
          fmt::format("{} {}", update, optimizer),
          trained_text(fmt::format(R"("update": "{}", "optimizer": "{}",)", update, optimizer)));
    }
    for (const Tiny& tiny : tiny_steps()) {
      if (tiny.text.find(R"("trainable":[)") == std::string::npos) continue;
      json parts = json::parse(tiny.text);
      parts.update({{"update", update}, {"optimizer", "adam"}});
      models.emplace_back(fmt::format("{} {}", tiny.name, update), parts.dump());
    }
  }
  return models;
}

TEST_F(ExportedSteps, ComputesEveryOpAndUpdate) {
  for (const auto& [name, text] : all_models()) {
    const std::string model = folder_.write("tiny.json", text);
    const std::string path = solved(model, "100%");
    ASSERT_EQ(exported(path, {"--model", model, "--seed", "3"}).status, 0) << name;
    const std::string program = folder_.file("step");
    const Finished linked =
        compile(POET_CC, Words{"-std=c11", "-I" + plan_, "-o", program, plan_ + "/poet_plan.c",
                               plan_ + "/poet_constants.c",
                               POET_SOURCE_DIR "/tests/support/exported_step.c"} +
                             compiled_once());
    ASSERT_EQ(linked.status, 0) << name << linked.err;
    const std::string gradients = folder_.file("gradients");
    const Finished step = run_step(program, {"2", "3", gradients});
    EXPECT_EQ(step.status, 0) << name << step.out;
    SCOPED_TRACE(name);
    expect_same(
        document(poet_solve({"run", path, "--model", model, "--steps", "2", "--seed", "3"})),
        step.out, contents_of(gradients));
  }
}

TEST_F(ExportedSteps, ComputeTheSameInBanks) {
  const std::string platform = folder_.write("two.json", R"({"format": "poet-platform",
    "version": 3, "name": "two", "flops_per_second": 1e7, "flops_per_joule": 1e8,
    "page_in": {"latency_seconds": 0, "bytes_per_second": 1e6},
    "page_out": {"latency_seconds": 0, "bytes_per_second": 1e6},
    "memory_power_watts": 1, "standing": "estimated",
    "banks": [{"name": "near", "bytes": 160000, "bytes_per_second": 1e9},
              {"name": "unused", "bytes": 32, "bytes_per_second": 1e6},
              {"name": "far", "bytes": 400000, "bytes_per_second": 1e8}]})");
  const Finished placed = poet_solve({"place", solved("ds_cnn", "80%"), "--platform", platform});
  ASSERT_EQ(placed.status, 0) << placed.err;
  const std::string path = folder_.write("placed.json", placed.out);
  ASSERT_EQ(exported(path, {"--model", "ds_cnn", "--seed", "3"}).status, 0);
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_BANK_COUNT 2 "));
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_BANK_FAR 1 "));
  EXPECT_THAT(file_of("poet_plan.h"), HasSubstr("#define POET_ARENA_NEAR_BYTES "));
  const std::string gradients = folder_.file("gradients");
  const Finished step = run_step(built(), {"2", "3", gradients});
  EXPECT_EQ(step.status, 0) << step.out;
  const Finished run =
      poet_solve({"run", path, "--model", "ds_cnn", "--steps", "2", "--seed", "3", "--check"});
  EXPECT_EQ(run.status, 0) << run.err;
  expect_same(document(run), step.out, contents_of(gradients));
  const Finished plan =
      poet_solve({"export", path, "--format", "tflm", "--output", folder_.file("tflm")});
  EXPECT_EQ(plan.status, 2);
  EXPECT_THAT(plan.err, HasSubstr("several banks"));
}

// Every computation, page and move has its number in the program of the file.
TEST_F(ExportedSteps, KeepsOffsetsMovesAndNumbersOfAPlacedSchedule) {
  const std::string model = folder_.write("mixed.json", mixed_model("accumulate"));
  const MovedSchedule moved =
      move_one_tensor(document(poet_solve({"place", solved(model, "60%", {"--no-remat"})})));
  const json& program = moved.file.at("program");
  const std::string path = folder_.write("moved.json", moved.file.dump());
  ASSERT_EQ(exported(path, {"--model", model}).status, 0);
  EXPECT_THAT(file_of("poet_plan.c"), HasSubstr("POET_MOVE"));
  const std::string gradients = folder_.file("gradients");
  const Finished step = run_step(built(), {"3", "7", gradients});
  const json run =
      document(poet_solve({"run", path, "--model", model, "--steps", "3", "--seed", "7"}));
  expect_same(run, step.out, contents_of(gradients));

  std::vector<std::string> expected;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].at("op") != "free") expected.push_back(std::to_string(i) + ",1");
  }
  std::vector<std::string> ticks = lines_of(step.out);
  ticks.erase(ticks.begin(), ticks.begin() + 3);
  EXPECT_EQ(ticks, expected);

  std::filesystem::remove_all(plan_);
  const Finished offline = exported(path, {"--format", "tflm"});
  EXPECT_EQ(offline.status, 2);
  EXPECT_THAT(offline.err, HasSubstr("an offline memory plan cannot say so"));
  EXPECT_FALSE(std::filesystem::exists(plan_));
  ASSERT_EQ(exported(path, {"--format", "csv"}).status, 0);
  EXPECT_THAT(file_of("program.csv"), HasSubstr(",move," + std::to_string(moved.node) + ","));
}

TEST_F(ExportedSteps, EndsTheStepAtAPageInThatFails) {
  const std::string path = solved("linear", "60%", {"--no-remat"});
  const json program = json::parse(contents_of(path)).at("program");
  std::vector<std::size_t> page_ins;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].at("op") == "page_in") page_ins.push_back(i);
  }
  ASSERT_FALSE(page_ins.empty());
  ASSERT_EQ(exported(path, {"--model", "linear"}).status, 0);
  const std::string gradients = folder_.file("gradients");
  const std::string count = std::to_string(page_ins.size());
  const Finished failed = run_step(built(), {"3", "1", gradients, count});
  EXPECT_EQ(failed.status, 5);
  const std::vector<std::string> lines = lines_of(failed.out);
  ASSERT_EQ(lines.size(), 2U) << failed.out;
  EXPECT_EQ(lines[1], "status 7 at instruction " + std::to_string(page_ins[0]));
}

TEST_F(ExportedSteps, HasNoStorageUnlessTheProgramBringsSome) {
  ASSERT_EQ(exported(solved("linear", "60%", {"--no-remat"}), {"--model", "linear"}).status, 0);
  const std::string source = folder_.write("main.c", R"(#include "poet_plan.h"
static _Alignas(64) unsigned char arena[POET_ARENA_BYTES + 4];
static float parameters[POET_PARAMETER_COUNT], input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];
int main(void) {
  const void* inputs[] = {input};
  const void* targets[] = {target};
  struct poet_memory m = {.arena = arena + 1, .parameters = parameters, .inputs = inputs,
                          .targets = targets};
  poet_initialise(&poet_plan, &m, 1);
  if (poet_step(&poet_plan, &m, 0) != POET_MISALIGNED || m.failed != -1) return 1;
  m.arena = arena;
  if (poet_step(&poet_plan, &m, 0) != POET_NO_STORAGE || m.failed < 0) return 2;
  return m.steps == 0 ? 0 : 3;
})");
  const std::string program = linked({"-std=c11", "-O1", "-ffp-contract=off", source});
  EXPECT_EQ(run_step(program, {}).status, 0);
}

// What a firmware forgets is a status, and nothing is read or written before it is found.
TEST_F(ExportedSteps, RefusesArgumentsThatLackWhatThePlanNeeds) {
  ASSERT_EQ(exported(solved("linear", "100%"), {"--model", "linear"}).status, 0);
  const std::string source = folder_.write("main.c", R"(#include "poet_plan.h"
static _Alignas(64) unsigned char arena[POET_ARENA_BYTES];
static float parameters[POET_PARAMETER_COUNT], input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];
int main(void) {
  const void* inputs[] = {0};
  const void* targets[] = {0};
  struct poet_memory m = {.arena = arena};
  if (poet_initialise(0, &m, 1) != POET_NO_MEMORY) return 1;
  if (poet_initialise(&poet_plan, 0, 1) != POET_NO_MEMORY) return 2;
  if (poet_initialise(&poet_plan, &m, 1) != POET_NO_MEMORY) return 3;
  m.parameters = parameters;
  if (poet_initialise(&poet_plan, &m, 1) != POET_OK) return 4;
  if (poet_step(&poet_plan, &m, 0) != POET_NO_DATA) return 5;
  m.inputs = inputs;
  m.targets = targets;
  if (poet_step(&poet_plan, &m, 0) != POET_NO_DATA) return 6;
  inputs[0] = input;
  if (poet_step(&poet_plan, &m, 0) != POET_NO_DATA) return 7;
  targets[0] = target;
  m.arena = 0;
  if (poet_step(&poet_plan, &m, 0) != POET_NO_MEMORY) return 8;
  m.arena = arena;
  return poet_step(&poet_plan, &m, 0) == POET_OK && m.steps == 1 ? 0 : 9;
})");
  const std::string program = linked({"-std=c11", "-ffp-contract=off", source});
  EXPECT_EQ(run_step(program, {}).status, 0);
}

// The flag that keeps the bits is easy to lose, and what is lost with it is not seen.
TEST_F(ExportedSteps, FindsOutThatTheCompilerFusesProducts) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor does not fuse products";
  ASSERT_EQ(exported(solved("linear", "100%"), {"--model", "linear"}).status, 0);
  const std::string source = folder_.write("main.c", R"(#include "poet_plan.h"
static float parameters[POET_PARAMETER_COUNT];
int main(void) {
  struct poet_memory m = {.parameters = parameters};
  return poet_initialise(&poet_plan, &m, 1) == POET_FUSED;
})");
  for (const char* flag : {"-ffp-contract=off", "-ffp-contract=fast"}) {
    const std::string program = linked({"-std=gnu11", "-O2", "-mfma", flag, source});
    EXPECT_EQ(run_step(program, {}).status, flag == std::string("-ffp-contract=fast")) << flag;
  }
#else
  GTEST_SKIP() << "no flag of this test's makes this processor fuse products";
#endif
}

// GCC says 16 where a processor has half precision: float is float there.
TEST_F(ExportedSteps, CompilesForProcessorsWithHalfPrecision) {
  ASSERT_EQ(exported(solved("linear", "100%"), {"--model", "linear"}).status, 0);
  const std::string probe = folder_.write("probe.c", "int main(void) { return 0; }");
  const Words flags{"-std=gnu11", "-mavx512fp16", "-ffp-contract=off", "-fsyntax-only"};
  if (compile(POET_CC, flags + Words{probe}).status != 0)
    GTEST_SKIP() << "the compiler lacks -mavx512fp16";
  for (const std::string& name : kCFiles) {
    const Finished compiled = compile(POET_CC, flags + Words{plan_ + "/" + name});
    EXPECT_EQ(compiled.status, 0) << compiled.err;
  }
}

TEST_F(ExportedSteps, LetsAProgramReplaceAKernel) {
  const std::string model = folder_.write("mixed.json", mixed_model("fused"));
  ASSERT_EQ(exported(solved(model, "100%"), {"--model", model}).status, 0);
  const std::string gradients = folder_.file("gradients");
  const Finished usual = run_step(built(), {"1", "1", gradients});
  const Finished replaced = run_step(built({"-DREPLACE_RELU"}), {"1", "1", gradients});
  ASSERT_EQ(usual.status, 0);
  ASSERT_EQ(replaced.status, 0);
  EXPECT_NE(lines_of(usual.out)[0], lines_of(replaced.out)[0]);
}

TEST_F(ExportedSteps, NeedsThreeFunctionsOfLibc) {
  ASSERT_EQ(exported(solved("linear", "100%"), {"--model", "linear"}).status, 0);
  const std::string all = folder_.file("all.o");
  Words words{"-O2",        "-fno-pie", "-ffp-contract=off", "-fno-stack-protector",
              "-I" + plan_, "-r",       "-nostdlib",         "-o",
              all};
  for (const std::string& name : kCFiles) words.push_back(plan_ + "/" + name);
  const Finished linked = compile(POET_CC, words);
  ASSERT_EQ(linked.status, 0) << linked.err;
  const Finished names = compile(POET_NM, {"-u", all});
  std::istringstream stream(names.out);
  std::set<std::string> undefined;
  for (std::string word; stream >> word;) {
    if (word != "U") undefined.insert(word);
  }
  undefined.erase("__cpu_model");  // the compiler's own, on hosts: which vectors there are
  EXPECT_THAT(undefined, ElementsAre("memcpy", "memmove", "memset"));
}

}  // namespace
}  // namespace poet::test
