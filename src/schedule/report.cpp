#include "poet/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "schedule/summary.hpp"
#include "schedule/tolerance.hpp"

namespace poet {
namespace {

/// The file is verified against its request, so the request has to be what was solved.
void check_request(const Request& request, const Limits& limits) {
  const bool same = request.ram_budget_bytes == limits.ram_budget_bytes &&
                    request.runtime_budget_seconds == limits.runtime_budget_seconds &&
                    request.paging == limits.paging && request.remat == limits.remat;
  if (!same) throw InternalError("the request differs from the problem that was solved");
}

void check_replay(const Replay& replay, const SolveResult& result) {
  if (!replay.valid()) {
    const Violation& first = replay.violations.front();
    throw InternalError(
        fmt::format("the schedule breaks {}: {}", rule_name(first.rule), first.message));
  }
  if (!agree(replay.energy_joules, result.energy_joules)) {
    throw InternalError(fmt::format("the solver says {} J, the replay of its schedule {} J",
                                    result.energy_joules, replay.energy_joules));
  }
}

ModelInfo model_info(const Model& model, const Graph& graph) {
  return {.name = model.name,
          .source = model.source,
          .batch_size = model.batch_size,
          .node_count = graph.size(),
          .forward_node_count = graph.first_backward,
          .backward = model.backward,
          .sha256 = model.sha256};
}

/// A bound above the energy by rounding alone is the energy; by more, it fails verification.
Joules rounded_bound(Joules bound, Joules energy) {
  return agree(bound, energy) ? std::min(bound, energy) : bound;
}

void check_report(const Report& report) {
  const std::vector<std::string> findings = verify_report(report);
  if (findings.empty()) return;
  throw InternalError("the report contradicts its own schedule: " + findings.front());
}

}  // namespace

Report make_report(const Model& model, const Platform* platform, const Problem& problem,
                   const Request& request, const SolveResult& result) {
  if (!result.schedule) throw InternalError("a report needs a schedule, and there is none");
  check_request(request, problem.limits);
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  check_replay(replay, result);

  Report report;
  report.code = result.interrupted ? ExitCode::interrupted : ExitCode::ok;
  report.status = result.status;
  report.model = model_info(model, problem.graph);
  if (platform != nullptr) {
    report.platform = PlatformInfo{
        .name = platform->name, .source = platform->source, .sha256 = platform->sha256};
  }
  report.request = request;
  report.summary = summarise(problem.graph, replay, request.ram_budget_bytes,
                             rounded_bound(result.lower_bound_joules, replay.energy_joules));
  report.seed = request.seed;
  report.threads = request.threads;
  report.solver = result.report;
  report.graph = problem.graph;
  report.schedule = *result.schedule;
  report.stage_peak_ram_bytes = replay.stage_peak_ram_bytes;
  report.program = to_program(problem.graph, *result.schedule);
  check_report(report);
  return report;
}

}  // namespace poet
