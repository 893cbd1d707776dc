// Whether schedules compute what they must: built-in models at five budgets, with recomputation,
// paging and both, run on real tensors and compared bit by bit with the unscheduled step.
//   poet_run_bench [MODEL...]    all models with an exact backward pass, if none is named

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "execute/run_schedule.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "step/training_step.hpp"

namespace {

using namespace poet;

/// Of the way from the working set to what plain training takes.
constexpr std::array kShares = {0.1, 0.25, 0.4, 0.6, 0.8};
constexpr Seconds kSolveSeconds = 5;

struct Techniques {
  const char* name;
  bool remat, paging;
};
constexpr std::array<Techniques, 3> kTechniques = {
    {{"remat", true, false}, {"paging", false, true}, {"both", true, true}}};

/// A model to solve for and to compute with.
struct Subject {
  std::string name;
  Model model;
  Graph graph;
  TrainingStep step;
};

Subject load_subject(const std::string& name) {
  const NamedText found = find_text(name, "model", embedded_models());
  InputErrors errors;
  ModelSpec spec = read_model(found.text, found.place, errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::exact);
  Subject subject{.name = name, .model = load_model(name, 1, Backward::exact)};
  const Platform platform = load_platform("m4");
  subject.graph = cost_graph(subject.model, &platform);
  subject.step = bind_step(spec, 1);
  return subject;
}

struct Tally {
  int equal = 0;
  int wrong = 0;
  int without_schedule = 0;
};

/// Runs what the solver finds. Wrong is also a peak other than the replay's.
void try_point(const Subject& subject, double share, const Techniques& techniques, Tally& tally) {
  const Baseline base = baseline(subject.graph);
  const Bytes least = working_set(subject.graph).bytes;
  Problem problem{.graph = subject.graph, .limits = {}};
  problem.limits.ram_budget_bytes =
      least + static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes - least));
  problem.limits.runtime_budget_seconds = 3 * base.runtime_seconds;
  problem.limits.techniques.remat = techniques.remat;
  problem.limits.techniques.paging = techniques.paging;
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.time_limit_seconds = kSolveSeconds;
  const std::string what =
      fmt::format("{:<22} {:>4.0f} % {:<6} {:>10} bytes: ", subject.name, 100 * share,
                  techniques.name, problem.limits.ram_budget_bytes);
  const SolveResult found = solve(problem, options);
  if (!found.schedule) {
    ++tally.without_schedule;
    fmt::print("{}no schedule ({})\n", what, status_name(found.status));
    return;
  }
  const Replay replay = simulate(subject.graph, *found.schedule, problem.limits);
  const RunResult result =
      run_schedule(subject.step, subject.graph, to_program(subject.graph, *found.schedule),
                   subject.model.alignment, {.check = true});
  const bool is_right = result.equal() && result.peak_touched_bytes == replay.peak_ram_bytes;
  ++(is_right ? tally.equal : tally.wrong);
  fmt::print("{}{}, {} gradients, {} recomputed, {} bytes paged, {:.2f} s ({:.2f} s unscheduled)\n",
             what, is_right ? "equal" : "WRONG", result.gradients.size(), replay.recompute_count,
             result.page_in_bytes + result.page_out_bytes, result.seconds,
             result.unscheduled_seconds);
}

void try_model(const std::string& name, Tally& tally) {
  try {
    const Subject subject = load_subject(name);
    for (const double share : kShares) {
      for (const Techniques& techniques : kTechniques) {
        try_point(subject, share, techniques, tally);
        std::fflush(stdout);
      }
    }
  } catch (const InputError& error) {
    fmt::print("{:<22} is no training step: {}\n", name, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> models(argv + 1, argv + argc);
  try {
    Tally tally;
    for (const std::string& name : models.empty() ? builtin_models() : models) {
      try_model(name, tally);
    }
    fmt::print("{} equal, {} wrong, {} without a schedule\n", tally.equal, tally.wrong,
               tally.without_schedule);
    return tally.equal > 0 && tally.wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_run_bench: {}\n", error.what());
  }
  return 2;
}
