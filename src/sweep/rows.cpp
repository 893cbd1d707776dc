// Rows of results, made of outcomes or of schedule files. The budget in a row is in absolute terms,
// so that a row can be read without the command that made it. A failure is a row as well, so that a
// sweep has as many rows as points in any case.

#include "sweep/rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "poet/graph.hpp"
#include "question/choose_copies.hpp"
#include "report/file_order.hpp"
#include "report/summary.hpp"
#include "report/unplaced_file.hpp"
#include "sweep/fields.hpp"
#include "sweep/ordered_subject.hpp"

namespace poet {

/// What was asked, with digests of all that it was asked about.
RowProblem row_problem(const Subject& subject, const Limits& limits, const RuntimeBudget& runtime,
                       const SolveSettings& settings) {
  RowProblem problem{.model = subject.model.name,
                     .model_sha256 = subject.model.sha256,
                     .graph_sha256 = subject.graph_sha256(),
                     .order_sha256 = subject.order_sha256(),
                     .copies = subject.model.copies,
                     .batch_size = subject.model.batch_size,
                     .mem_power_scale = settings.mem_power_scale,
                     .limits = limits,
                     .runtime_budget_ratio = runtime_ratio(runtime, subject.stated_base())};
  if (settings.copies != CopyChoice::none) problem.copies.mode = copy_mode(settings.copies);
  if (subject.platform) {
    problem.platform = subject.platform->name;
    problem.platform_sha256 = subject.platform->sha256;
  }
  return problem;
}

namespace {

Request point_request(const Subject& subject, const SweepPoint& point,
                      const SolveSettings& settings) {
  return make_request(point.limits, point.runtime, subject.stated_base(), settings);
}

ProblemInfo point_problem(const Subject& subject, const SweepPoint& point,
                          const SweepOutcome& outcome, const SolveSettings& settings) {
  ProblemInfo problem{.model = model_info(subject),
                      .graph_sha256 = subject.graph_sha256(),
                      .request = point_request(subject, point, settings),
                      .given_order = outcome.given_order};
  if (subject.platform) problem.platform = platform_info(*subject.platform);
  if (outcome.failure.empty()) add_proof(problem, outcome.result, subject.graph);
  return problem;
}

/// Every byte, in the unit that people type.
std::string exact_size(Bytes bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} bytes", bytes);
}

}  // namespace

std::string subject_name(const std::string& model, const std::optional<std::string>& platform) {
  return platform ? fmt::format("{}/{}", model, *platform) : model;
}

// If parameters leave no room on a chip, there is no budget to name.
std::string point_name(const SweepRow& row, const NameParts& parts) {
  const RowProblem& problem = row.problem;
  std::string name = subject_name(problem.model, problem.platform);
  if (parts.techniques) name += fmt::format(" {}", name_of(problem.limits.techniques));
  if (parts.runtime) name += fmt::format(" {:.10g}x", problem.runtime_budget_ratio);
  if (problem.limits.ram_budget_bytes == 0) return name;
  name += " " + exact_size(problem.limits.ram_budget_bytes);
  if (parts.paging_time && problem.limits.paging_time != PagingTime::free) {
    name += fmt::format(", {} transfers", name_of(problem.limits.paging_time));
  }
  return name;
}

std::string problem_name(const ProblemInfo& problem) {
  if (!problem.model || !problem.request) return {};
  const Request& request = *problem.request;
  SweepRow row{.problem = {.model = problem.model->name,
                           .limits = request.limits,
                           .runtime_budget_ratio = request.runtime_budget_ratio}};
  if (problem.platform) row.problem.platform = problem.platform->name;
  return point_name(row);
}

/// The row and the schedule file of a point are made together, from one replay, so that they cannot
/// disagree.
PointResult make_result(const SweepGrid& grid, const std::vector<SweepPoint>& points, int point,
                        const SweepOutcome& outcome, const SolveSettings& settings) {
  const SweepPoint& where = points[point];
  const OrderedSubject in_order(grid.subjects[where.subject], outcome.order, outcome.copies);
  const Subject& subject = in_order.get();
  const bool failed = !outcome.failure.empty();
  PointResult result;
  result.row = {.point = point,
                .status = failed ? SweepRow::Status::failed : row_status(outcome.result.status),
                .reason = failed ? outcome.failure : explain(outcome.result),
                .problem = row_problem(subject, where.limits, where.runtime, settings),
                .requested_gap = settings.gap,
                .given_order = outcome.given_order,
                .origin = outcome.origin,
                .baseline_energy_joules = subject.base.energy_joules,
                .baseline_peak_ram_bytes = subject.base.peak_ram_bytes,
                .wall_seconds = outcome.wall_seconds};
  if (outcome.origin_point >= 0) result.row.origin_point = outcome.origin_point;
  if (failed || !outcome.result.schedule) {
    result.problem = point_problem(subject, where, outcome, settings);
    return result;
  }
  result.file = make_unplaced_file(subject.model, subject.platform ? &*subject.platform : nullptr,
                                   {.graph = subject.graph, .limits = where.limits},
                                   point_request(subject, where, settings), outcome.result);
  if (settings.order == OrderKind::search) {
    result.file->bought.given_order_energy_joules = outcome.given_order_energy_joules;
  }
  if (subject.copied) result.file->model.uncopied_graph_sha256 = subject.graph_sha256();
  if (settings.copies != CopyChoice::none) {
    result.file->copied = {subject.stated_base().energy_joules, outcome.uncopied_energy_joules};
  }
  result.row.summary = result.file->summary;
  return result;
}

// An interval is an answer as well: both of its ends are proven, one by a schedule.
MinRamRow make_row(const SweepGrid& grid, const std::vector<MinRamTask>& tasks, int task,
                   const MinRam& found, const SolveSettings& settings) {
  const MinRamTask& what = tasks[task];
  const OrderedSubject in_order(grid.subjects[what.subject], found.order);
  const Subject& subject = in_order.get();
  MinRamRow row{.task = task,
                .reason = found.failure.empty() ? found.reason : found.failure,
                .problem = row_problem(subject, what.limits, what.runtime, settings),
                .working_set_bytes = working_set(subject.graph).bytes,
                .baseline_peak_ram_bytes = subject.base.peak_ram_bytes,
                .wall_seconds = found.wall_seconds};
  if (!found.failure.empty() || found.infeasible) {
    row.status = found.infeasible ? MinRamRow::Status::infeasible : MinRamRow::Status::failed;
    return row;
  }
  row.status = found.exact() ? MinRamRow::Status::exact : MinRamRow::Status::interval;
  if (found.exact()) row.smallest_ram_bytes = found.feasible_bytes;
  row.infeasible_below_bytes = found.infeasible_below_bytes;
  row.feasible_ram_bytes = found.feasible_bytes;
  row.node = found.node;
  const Node& node = grid.subjects[what.subject].graph.nodes[found.node];
  row.node_name = node.name;
  row.node_op = node.op;
  row.decided_by = found.is_working_set ? "working set" : "peak";
  return row;
}

namespace {

template <typename Row>
bool any_is(const std::vector<Row>& rows, typename Row::Status status) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return row.status == status; });
}

}  // namespace

// A crash outweighs an open point, and an open point one that is only not proven.
ExitCode exit_code_of(const std::vector<SweepRow>& rows, bool require_optimal) {
  if (any_is(rows, SweepRow::Status::failed)) return ExitCode::internal;
  if (any_is(rows, SweepRow::Status::unknown)) return ExitCode::limit;
  const bool is_short = require_optimal && any_is(rows, SweepRow::Status::feasible);
  return is_short ? ExitCode::requirement : ExitCode::ok;
}

ExitCode exit_code_of(const std::vector<MinRamRow>& rows) {
  if (any_is(rows, MinRamRow::Status::failed)) return ExitCode::internal;
  return any_is(rows, MinRamRow::Status::interval) ? ExitCode::limit : ExitCode::ok;
}

// The digest of the graph is the one in the given order without copies, by which rows in other
// orders, and with other copies, are recognised.
SweepRow row_of(const ScheduleFile& file) {
  SweepRow row{.status = row_status(file.status),
               .problem = {.model = file.model.name,
                           .model_sha256 = file.model.sha256,
                           .graph_sha256 = problem_sha256(file),
                           .order_sha256 = own_sha256(file),
                           .copies = file.model.copies,
                           .batch_size = file.model.batch_size,
                           .mem_power_scale = file.request.settings.mem_power_scale,
                           .limits = file.request.limits,
                           .runtime_budget_ratio = file.request.runtime_budget_ratio,
                           .objective = file.request.settings.objective},
               .requested_gap = file.request.settings.gap,
               .baseline_energy_joules = file.summary.baseline_energy_joules,
               .baseline_peak_ram_bytes = file.summary.baseline_peak_ram_bytes,
               .summary = file.summary,
               .wall_seconds = file.solver.wall_seconds};
  const CopyChoice copies = file.request.settings.copies;
  if (copies != CopyChoice::none) row.problem.copies.mode = copy_mode(copies);
  if (file.platform) {
    row.problem.platform = file.platform->name;
    row.problem.platform_sha256 = file.platform->sha256;
  }
  return row;
}

SweepRow::Status row_status(Status status) {
  switch (status) {
    case Status::optimal:
      return SweepRow::Status::optimal;
    case Status::feasible:
      return SweepRow::Status::feasible;
    case Status::infeasible:
      return SweepRow::Status::infeasible;
    case Status::unknown:
      break;
  }
  return SweepRow::Status::unknown;
}

std::string_view outcome_name(const SweepOutcome& outcome) {
  return outcome.failure.empty() ? name_of(outcome.result.status) : "failed";
}

}  // namespace poet
