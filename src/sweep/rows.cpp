#include "sweep/rows.hpp"

#include <fmt/format.h>

#include "io/graph_digest.hpp"
#include "schedule/explain.hpp"
#include "sweep/names.hpp"

namespace poet {
namespace {

double ratio_of(const RuntimeBudget& stated, const SweepSubject& subject) {
  // A ratio that the user stated stays as stated; multiplied and divided it would not.
  if (const Ratio* ratio = std::get_if<Ratio>(&stated)) return ratio->value;
  const Seconds once = subject.base.runtime_seconds;
  return once > 0 ? std::get<Seconds>(stated) / once : 0;
}

RowProblem row_problem(const SweepSubject& subject, TechniqueSet set, const RuntimeBudget& runtime,
                       const SweepSettings& settings) {
  RowProblem problem{.model = subject.model.name,
                     .model_sha256 = subject.model.sha256,
                     .graph_sha256 = graph_sha256(subject.graph),
                     .batch_size = subject.model.batch_size,
                     .mem_power_scale = settings.mem_power_scale,
                     .techniques = std::string(technique_set_name(set)),
                     .runtime_budget_seconds = resolve(runtime, subject.base),
                     .runtime_budget_ratio = ratio_of(runtime, subject)};
  if (subject.platform) {
    problem.platform = subject.platform->name;
    problem.platform_sha256 = subject.platform->sha256;
  }
  return problem;
}

}  // namespace

Report point_report(const SweepGrid& grid, const SweepPoint& point, const SweepOutcome& outcome,
                    const SweepSettings& settings) {
  const SweepSubject& subject = grid.subjects[point.subject];
  const Request request{.ram_budget_bytes = point.limits.ram_budget_bytes,
                        .runtime_budget_seconds = point.limits.runtime_budget_seconds,
                        .runtime_budget_ratio = ratio_of(point.runtime, subject),
                        .paging = point.limits.paging,
                        .remat = point.limits.remat,
                        .gap = settings.gap,
                        .mem_power_scale = settings.mem_power_scale,
                        .time_limit_seconds = settings.time_limit_seconds,
                        .threads = settings.threads,
                        .seed = settings.seed};
  Report report =
      make_report(subject.model, subject.platform ? &*subject.platform : nullptr,
                  {.graph = subject.graph, .limits = point.limits}, request, outcome.result);
  if (settings.require_optimal && report.status != Status::optimal) {
    report.code = ExitCode::requirement;
  }
  return report;
}

SweepRow make_row(const SweepGrid& grid, const std::vector<SweepPoint>& points, int point,
                  const SweepOutcome& outcome, const SweepSettings& settings) {
  const SweepPoint& where = points[point];
  const SweepSubject& subject = grid.subjects[where.subject];
  SweepRow row{.point = point,
               .status = std::string(outcome_name(outcome)),
               .reason = outcome.failure.empty() ? explain(outcome.result) : outcome.failure,
               .problem = row_problem(subject, where.techniques, where.runtime, settings),
               .ram_budget_bytes = where.limits.ram_budget_bytes,
               .requested_gap = settings.gap,
               .origin = std::string(name_of(kOriginNames, outcome.origin)),
               .baseline_energy_joules = subject.base.energy_joules,
               .baseline_peak_ram_bytes = subject.base.peak_ram_bytes,
               .wall_seconds = outcome.wall_seconds};
  if (outcome.origin_point >= 0) row.origin_point = outcome.origin_point;
  if (outcome.failure.empty() && outcome.result.schedule) {
    row.summary = point_report(grid, where, outcome, settings).summary;
  }
  return row;
}

MinRamRow make_row(const SweepGrid& grid, const std::vector<MinRamTask>& tasks, int task,
                   const MinRam& found, const SweepSettings& settings) {
  const MinRamTask& what = tasks[task];
  const SweepSubject& subject = grid.subjects[what.subject];
  MinRamRow row{.task = task,
                .reason = found.failure.empty() ? found.reason : found.failure,
                .problem = row_problem(subject, what.techniques, what.runtime, settings),
                .working_set_bytes = working_set(subject.graph).bytes,
                .baseline_peak_ram_bytes = subject.base.peak_ram_bytes,
                .wall_seconds = found.wall_seconds};
  if (!found.failure.empty() || found.infeasible) {
    row.status = found.infeasible ? "infeasible" : "failed";
    return row;
  }
  row.status = found.exact() ? "exact" : "interval";
  if (found.exact()) row.smallest_ram_bytes = found.feasible_bytes;
  row.infeasible_below_bytes = found.infeasible_below_bytes;
  row.feasible_ram_bytes = found.feasible_bytes;
  row.node = found.node;
  row.node_name = subject.graph.nodes[found.node].name;
  row.node_op = subject.graph.nodes[found.node].op;
  row.decided_by = found.is_working_set ? "working set" : "peak";
  return row;
}

}  // namespace poet
