// Does a model with measured costs predict what a schedule takes? A step is measured by one
// schedule; the measured model is solved for less RAM, and that schedule runs against the clock.
//   poet_profile_bench [model...]
// Ends with 1 if a prediction is more than 15 % off the time on the wall.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "execute/page_file.hpp"
#include "execute/scheduled_step.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "formats/write_inputs.hpp"
#include "measure/fit_step.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "support/bound_step.hpp"

namespace {

using namespace poet;

using Program = std::vector<Instruction>;

constexpr double kMostError = 0.15;

/// The program of a schedule within this share of the baseline's peak and twice its time.
Program solved(const Graph& graph, double share) {
  const Baseline base = baseline(graph);
  const Problem problem{
      .graph = graph,
      .limits = {.ram_budget_bytes =
                     std::max(working_set(graph).bytes,
                              static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes))),
                 .runtime_budget_seconds = 2 * base.runtime_seconds,
                 .paging_time = PagingTime::blocking}};
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.time_limit_seconds = 10;
  const SolveResult result = solve(problem, options);
  if (!result.schedule) throw InputError("no schedule was found");
  return to_program(graph, *result.schedule, problem.limits.paging_time);
}

Seconds predicted(const Graph& graph, const Program& program) {
  Seconds sum = 0;
  for (const Instruction& each : program) {
    const Node& node = graph.nodes[static_cast<std::size_t>(each.node)];
    if (each.op == Instruction::Op::compute) sum += node.runtime_seconds;
    if (each.op == Instruction::Op::page_in) sum += node.page_in_seconds;
    if (each.op == Instruction::Op::page_out) sum += node.page_out_seconds;
  }
  return sum;
}

/// Whole runs of a program. On a machine with other work, the time on the wall is also the time of
/// the others, and the time of the processor is what an idle machine would show.
struct Runs {
  std::vector<Seconds> wall;
  std::vector<Seconds> processor;
};

Seconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Runs runs_of(const TrainingStep& step, const Graph& graph, const Program& program) {
  constexpr int kRuns = 25;
  PageFile pages("");
  ScheduledStep scheduled(step, graph, program, kUsualAlignment, false);
  const TrainingState start = initial_state(step, 1);
  TrainingState state = start;
  scheduled.run(state, pages);
  Runs runs;
  for (int run = 0; run < kRuns; ++run) {
    state = start;
    const Stopwatch watch;
    const Seconds before = processor_time();
    scheduled.run(state, pages);
    runs.processor.push_back(processor_time() - before);
    runs.wall.push_back(watch.elapsed());
  }
  return runs;
}

/// The file that `run --profile` writes, read as a solve does.
Graph graph_of(const StepFit& fit) {
  InputErrors errors;
  const ModelSpec spec = read_model(model_json(fit.model), "model.json", errors);
  const Model model = build_model(spec, 1, errors);
  errors.throw_if_any();
  return cost_graph(model, nullptr);
}

/// Returns whether the prediction is near enough.
bool compare_times(const std::string& name) {
  const Model model = load_model(name, 1, Backward::exact);
  const Platform base = load_platform("m4");
  const Graph graph = cost_graph(model, &base);
  const TrainingStep step = test::bound_step(find_text(name, "model", embedded_models()).text);
  const RunSettings settings;
  const auto profile = [&](const Program& program) {
    return profile_program(step, graph, program, model.alignment, settings, {});
  };
  const Program first = solved(graph, 0.75);
  const InstructionTimes times = profile(first);
  const StepFit fit = fit_step({.model = model,
                                .graph = graph,
                                .program = first,
                                .times = times,
                                .page_times = time_page_file(graph, settings)},
                               base);
  const Graph measured = graph_of(fit);
  const Program second = solved(measured, 0.6);
  const auto count = [&](Instruction::Op op) {
    return std::count_if(second.begin(), second.end(),
                         [&](const Instruction& each) { return each.op == op; });
  };
  const Runs runs = runs_of(step, graph, second);
  const Seconds wall = median(runs.wall);
  const Seconds processor = median(runs.processor);
  const Seconds by_nodes = predicted(measured, second);
  const Seconds by_platform = predicted(cost_graph(model, &fit.platform), second);
  fmt::print(
      "{:<16} {:>6} {:>6} {:>10} {:>10} {:>10} {:>+7.1f} {:>+7.1f} {:>10} {:>+7.1f} {:>+7.1f}\n",
      name, count(Instruction::Op::compute) - graph.size(), count(Instruction::Op::page_in),
      format_seconds(wall), format_seconds(processor), format_seconds(by_nodes),
      100 * (by_nodes / wall - 1), 100 * (by_nodes / processor - 1), format_seconds(by_platform),
      100 * (by_platform / wall - 1), 100 * (by_platform / processor - 1));
  std::fflush(stdout);
  return std::fabs(by_nodes / wall - 1) <= kMostError;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> models(argv + 1, argv + argc);
  if (models.empty()) models = {"linear", "ds_cnn", "resnet18_cifar"};
  fmt::print("{:<16} {:>6} {:>6} {:>10} {:>10} {:>10} {:>7} {:>7} {:>10} {:>7} {:>7}\n", "model",
             "again", "paged", "wall", "processor", "nodes", "% wall", "% proc.", "platform",
             "% wall", "% proc.");
  bool is_fine = true;
  for (const std::string& name : models) {
    try {
      is_fine = compare_times(name) && is_fine;
    } catch (const std::exception& error) {
      fmt::print(stderr, "poet_profile_bench: {}: {}\n", name, error.what());
      return 2;
    }
  }
  return is_fine ? 0 : 1;
}
