// Programs that are not what their schedule says, given to the verification and to the executor. An
// oracle of the tests decides whether a program still means the same: it computes with expressions
// and with the numbers of writes in the place of numbers, and shares nothing with either.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "execute/run_schedule.hpp"
#include "mutations.hpp"
#include "poet/error.hpp"
#include "poet/simulate.hpp"
#include "report/place_schedule.hpp"
#include "report/schedule_draft.hpp"
#include "support/address_replay.hpp"
#include "support/bound_step.hpp"
#include "support/cases.hpp"
#include "support/random_exact_schedules.hpp"
#include "support/small_models.hpp"

namespace poet::test {
namespace {

/// A model to compute with, and as the formulas of its layers.
struct Subject {
  ExecutedStep formulas;
  TrainingStep kernels;
};

Subject subject(const std::string& text) {
  return {.formulas = file_step(text), .kernels = bound_step(text)};
}

/// What the executor made of a program.
enum class Ran { equal, unequal, refused, guarded, larger };

const char* word_of(Ran ran) {
  constexpr const char* kWords[] = {"equal", "unequal", "refused", "guarded", "larger"};
  return kWords[static_cast<int>(ran)];
}

Ran run_here(const Subject& about, const ScheduleFile& file) {
  try {
    const RunResult result =
        run_schedule(about.kernels, file.graph, file.program, file.model.alignment,
                     {.check = true, .paging_time = file.request.limits.paging_time});
    if (!result.equal()) return Ran::unequal;
    const Bytes expected = file.arena.arena_bytes.value_or(result.arena_bytes);
    return result.arena_bytes > expected ? Ran::larger : Ran::equal;
  } catch (const InputError&) {
    return Ran::refused;
  } catch (const InternalError&) {
    return Ran::guarded;
  }
}

/// In a process of its own, which a guard page may end.
Ran run_apart(const Subject& about, const ScheduleFile& file) {
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(99);
    _exit(static_cast<int>(run_here(about, file)));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(Ran::larger);
  return ended ? static_cast<Ran>(WEXITSTATUS(status)) : Ran::guarded;
}

/// Whether a program gives other losses or parameters than the definition of the step, by
/// expressions: says what is wrong, or nothing.
std::string value_fault(const Subject& about, const std::vector<Instruction>& program) {
  const ExecutedStep& step = about.formulas;
  const Outcome outcome = execute(step.model, step.formulas, program);
  if (!outcome.error.empty()) return outcome.error;
  const auto last_values = [](const Outcome& from) {
    std::map<std::string, Value> last;
    for (const Computed& each : from.computed) last[each.node] = each.value;
    return last;
  };
  const std::map<std::string, Value> found = last_values(outcome);
  const std::map<std::string, Value> expected = last_values(step.expected);
  for (const StepNode& node : about.kernels.nodes) {
    if (node.loss < 0) continue;
    const auto at = found.find(node.name);
    if (at == found.end() || at->second != expected.at(node.name)) return node.name + " differs";
  }
  for (const auto& [name, value] : step.expected.parameters) {
    const auto at = outcome.parameters.find(name);
    if (at == outcome.parameters.end() || at->second != value) return name + " differs";
  }
  return "";
}

/// What the oracle says of a file, one line each.
struct Judgement {
  std::string value;
  std::string form;
  bool same() const { return value.empty() && form.empty(); }
};

Judgement judge(const Subject& about, const ScheduleFile& file) {
  Judgement judgement{.value = value_fault(about, file.program), .form = {}};
  // A kernel may be able to do what its formula does not promise.
  if (judgement.value.find("may not be computed over") != std::string::npos) {
    std::swap(judgement.value, judgement.form);
    return judgement;
  }
  if (!judgement.value.empty() || !file.arena.arena_bytes) return judgement;
  const AddressFault fault =
      AddressReplay(about.formulas, file.graph, *file.arena.arena_bytes).run(file.program);
  return {.value = fault.value, .form = fault.form};
}

enum class Kind { plain, placed, moved };

/// Moves the first tensor that nothing takes over and nothing frees at once above all others.
void add_move(ScheduleFile& file) {
  std::set<int> taken;
  for (const Instruction& step : file.program) taken.insert(step.over.value_or(-1));
  for (std::size_t at = 0; at < file.program.size(); ++at) {
    const Instruction& step = file.program[at];
    const Bytes bytes = file.graph.nodes[static_cast<std::size_t>(step.node)].bytes;
    if (step.op != Instruction::Op::compute || taken.contains(step.node) || bytes == 0) continue;
    const Bytes end = *file.arena.arena_bytes;
    file.program.insert(file.program.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                        {.op = Instruction::Op::move, .node = step.node, .offset = end});
    file.arena.arena_bytes = end + bytes;
    file.arena.moved_bytes = file.arena.moved_bytes.value_or(0) + bytes;
    return;
  }
}

/// A file with the first offsets and slots that keep its tensors and copies apart. To look for good
/// ones takes up to a second.
ScheduleFile with_greedy_offsets(ScheduleFile file) {
  const Bytes alignment = offset_alignment(file);
  const ProgramBuffers lifetimes = program_buffers(file.graph, file.program);
  const Placement placement = best_greedy_placement(lifetimes.buffers, alignment);
  file.arena.arena_bytes = arena_bytes(lifetimes.buffers, placement, alignment);
  const ProgramCopies copies = program_copies(file.graph, file.program);
  if (!copies.buffers.empty()) {
    const Placement slots = best_greedy_placement(copies.buffers, 1);
    file.arena.storage_bytes = arena_bytes(copies.buffers, slots);
    write_slots(file.program, copies, slots.offsets);
  }
  file.program = with_offsets(file.program, lifetimes, placement);
  return file;
}

/// A valid schedule that recomputes and pages at random, if the model lets it do both.
ScheduleFile random_file(Twister& random, const Subject& about, Kind kind) {
  const Graph& graph = about.formulas.graph;
  constexpr Habits kHabits{.drop = 60, .page_out = 50, .page_in = 40};
  constexpr int kTries = 10;
  ScheduleFile file;
  for (int tries = 0; tries < kTries; ++tries) {
    Schedule schedule = ExactScheduler(random, graph, kHabits).run();
    const auto paging_time = static_cast<PagingTime>(draw(random, 0, 2));
    file = complete_unplaced_draft(
        make_draft(graph, std::move(schedule), model_info(about.formulas.model), paging_time));
    if (file.summary.page_in_count > 0 && file.summary.recompute_count > 0) break;
  }
  if (kind != Kind::plain) file = with_greedy_offsets(std::move(file));
  if (kind == Kind::moved) add_move(file);
  return file;
}

std::vector<SmallModel> executable_models();

class ChangedProgram : public testing::TestWithParam<SmallModel> {
 protected:
  /// How often each change was made, and in how many models.
  static inline std::map<std::string_view, int> made_;
  static inline std::size_t models_ = 0;

  static void TearDownTestSuite() {
    if (models_ < executable_models().size()) return;
    for (const Mutation& mutation : program_mutations()) {
      EXPECT_GT(made_[mutation.name], 0) << mutation.name;
    }
  }
};

TEST_P(ChangedProgram, IsFoundUnlessItMeansTheSame) {
  const Subject about = subject(text_of(GetParam()));
  std::map<std::string, int> counts;
  Twister random(1);
  const CaseRange range = wanted_cases(1);
  int mutants = 0;
  int others = 0;
  int found = 0;
  for (const Kind kind : {Kind::plain, Kind::placed, Kind::moved}) {
    for (int number = range.first; number < range.first + range.count; ++number) {
      const ScheduleFile valid = random_file(random, about, kind);
      ASSERT_TRUE(verify_schedule_file(valid).empty()) << verify_schedule_file(valid).front();
      ASSERT_TRUE(judge(about, valid).same())
          << judge(about, valid).value << judge(about, valid).form;
      ASSERT_EQ(run_apart(about, valid), Ran::equal);
      for (const Mutation& mutation : program_mutations()) {
        ScheduleFile file = valid;
        if (!mutate(random, mutation, file) || file.program == valid.program) continue;
        SCOPED_TRACE(
            fmt::format("{} of case {} of kind {}", mutation.name, number, static_cast<int>(kind)));
        ++mutants;
        ++made_[mutation.name];
        const Judgement judgement = judge(about, file);
        const bool is_verified = verify_schedule_file(file).empty();
        const Ran ran = run_apart(about, file);
        others += judgement.same() ? 0 : 1;
        found += judgement.same() || is_verified ? 0 : 1;
        EXPECT_TRUE(!is_verified || judgement.same() || ran != Ran::equal)
            << judgement.value << judgement.form;
        if (!judgement.value.empty()) {
          EXPECT_NE(ran, Ran::equal) << judgement.value;
        }
        if (judgement.same()) {
          EXPECT_TRUE(ran == Ran::equal || ran == Ran::refused) << word_of(ran);
        }
        const char* const kind_of = judgement.same()          ? "the same"
                                    : judgement.value.empty() ? "another form"
                                                              : "other values";
        ++counts[fmt::format("{}, {}", kind_of, word_of(ran))];
      }
    }
  }
  fmt::print(
      "{} changed programs, {} with another meaning; {} of these found by verification; by the "
      "executor:\n",
      mutants, others, found);
  for (const auto& [what, count] : counts) fmt::print("  {}: {}\n", what, count);
  EXPECT_GT(mutants, 50 * range.count);
  ++models_;
}

// Whatever the verification accepts has to be computed as it must be.
TEST_P(ChangedProgram, IsEqualWhereverItsChangedStagesAreValid) {
  const Subject about = subject(text_of(GetParam()));
  Twister random(2);
  const CaseRange range = wanted_cases(1);
  int valid = 0;
  int invalid = 0;
  for (int number = range.first; number < range.first + range.count; ++number) {
    const ScheduleFile file = random_file(random, about, Kind::plain);
    bool is_placed = false;
    for (int tries = 0; tries < 400; ++tries) {
      ScheduleFile changed = file;
      edit(random, changed.schedule);
      const ScheduleFile draft =
          make_draft(file.graph, changed.schedule, file.model, file.request.limits.paging_time);
      if (!simulate(draft.graph, draft.schedule, draft.request.limits).valid()) {
        EXPECT_FALSE(verify_schedule_file(changed).empty());
        ++invalid;
        continue;
      }
      changed =
          is_placed ? with_greedy_offsets(complete_unplaced_draft(draft)) : complete_draft(draft);
      is_placed = true;
      EXPECT_THAT(verify_schedule_file(changed), testing::IsEmpty());
      EXPECT_EQ(judge(about, changed).value, "") << "case " << number;
      EXPECT_EQ(run_apart(about, changed), Ran::equal) << "case " << number;
      ++valid;
    }
  }
  fmt::print("{} changes are valid, {} are not\n", valid, invalid);
  EXPECT_GT(valid, 10 * range.count);
  EXPECT_GT(invalid, 100 * range.count);
}

/// Those without `custom` layers, which have no kernels, and one with a workspace.
std::vector<SmallModel> executable_models() {
  std::vector<SmallModel> models;
  for (SmallModel& model : small_models()) {
#ifdef POET_SANITIZE
    // The executor looks for offsets of each of their programs, for seconds.
    if (model.name == "sequences_buffered" || model.name == "sequences_accumulate") continue;
#endif
    if (model.layers.find("custom") == std::string::npos) models.push_back(std::move(model));
  }
  models.push_back({"workspace", R"("input": {"shape": ["N", 3, 4, 4]},)", R"(
  {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3, "padding": 1,
   "workspace_bytes": 64},
  {"name": "relu", "op": "relu", "inputs": ["conv"]},
  {"name": "next", "op": "conv2d", "inputs": ["relu"], "out_channels": 4, "kernel": 3, "padding": 1,
   "workspace_bytes": 40},
  {"name": "sum", "op": "add", "inputs": ["next", "relu"]},
  {"name": "pool", "op": "global_avg_pool", "inputs": ["sum"], "workspace_bytes": 8},
  {"name": "loss", "op": "cross_entropy", "inputs": ["pool"], "classes": 4})"});
  return models;
}

INSTANTIATE_TEST_SUITE_P(Models, ChangedProgram, testing::ValuesIn(executable_models()),
                         [](const auto& instance) { return instance.param.name; });

/// A model of which one layer can be another one.
std::string layered_text(const std::string& layer) {
  return exact_text("[2, 6]",
                    R"({"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
    )" + layer + R"(,
    {"name": "fc", "op": "linear", "inputs": ["act"], "out_features": 3},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 3})");
}

TEST(PlansForOtherModels, AreRefusedUnlessTheyComputeWhatTheModelMust) {
  const Subject planned =
      subject(layered_text(R"({"name": "act", "op": "relu", "inputs": ["a"]})"));
  Twister random(3);
  const auto run_plan = [&](const std::string& text) {
    const Subject other = subject(text);
    EXPECT_EQ(other.kernels.nodes.size(), planned.kernels.nodes.size());
    const ScheduleFile file = random_file(random, planned, Kind::placed);
    const Ran ran = run_apart(other, file);
    // Only a plan of the same names and sizes can mean anything to the other model.
    if (ran != Ran::refused) {
      EXPECT_EQ(ran == Ran::equal, value_fault(other, file.program).empty());
    }
    return ran;
  };
  EXPECT_EQ(run_plan(layered_text(R"({"name": "act", "op": "relu", "inputs": ["a"]})")),
            Ran::equal);
  EXPECT_EQ(run_plan(layered_text(R"({"name": "act", "op": "tanh", "inputs": ["a"]})")),
            Ran::equal);

  std::string renamed = layered_text(R"({"name": "act", "op": "relu", "inputs": ["a"]})");
  for (std::size_t at = 0; (at = renamed.find("\"fc\"", at)) != std::string::npos;) {
    renamed.replace(at, 4, "\"fd\"");
  }
  EXPECT_EQ(run_plan(renamed), Ran::refused);

  std::string larger = layered_text(R"({"name": "act", "op": "relu", "inputs": ["a"]})");
  larger.replace(larger.find("\"out_features\": 4"), 17, "\"out_features\": 5");
  EXPECT_EQ(run_plan(larger), Ran::refused);
}

}  // namespace
}  // namespace poet::test
