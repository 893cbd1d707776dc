// Does a model with measured costs predict what a schedule takes? A step is measured by one
// schedule; the measured model is solved for less RAM, and that schedule runs against the clock.
//   poet_profile_bench [model...]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

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

/// What each run of the whole program took, sorted.
std::vector<Seconds> runs_of(const InstructionTimes& times) {
  std::vector<Seconds> runs(times.front().size());
  for (const std::vector<Seconds>& each : times) {
    for (std::size_t run = 0; run < each.size(); ++run) runs[run] += each[run];
  }
  std::sort(runs.begin(), runs.end());
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
  const std::vector<Seconds> runs = runs_of(profile(second));
  const Seconds found = median(runs);
  const auto error = [&](Seconds seconds) { return 100 * (seconds / found - 1); };
  const Seconds by_nodes = predicted(measured, second);
  const Seconds by_platform = predicted(cost_graph(model, &fit.platform), second);
  fmt::print("{:<16} {:>6} {:>6} {:>10} {:>10} {:>+8.1f} {:>10} {:>+8.1f}   {} .. {} in {} runs\n",
             name, count(Instruction::Op::compute) - graph.size(), count(Instruction::Op::page_in),
             format_seconds(found), format_seconds(by_nodes), error(by_nodes),
             format_seconds(by_platform), error(by_platform), format_seconds(runs.front()),
             format_seconds(runs.back()), runs.size());
  std::fflush(stdout);
  return std::fabs(by_nodes / found - 1) <= kMostError;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> models(argv + 1, argv + argc);
  if (models.empty()) models = {"linear", "ds_cnn", "resnet18_cifar"};
  fmt::print("{:<16} {:>6} {:>6} {:>10} {:>10} {:>8} {:>10} {:>8}   {}\n", "model", "again",
             "paged", "median", "nodes", "%", "platform", "%", "runs");
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
