#include "app/sweep/finished.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/sweep/request.hpp"
#include "base/files/files.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "solver/incumbent.hpp"

namespace poet::cli {
namespace {

/// The schedule file of a row; nothing, with a line in the log, if it is not what the row says.
std::optional<ScheduleFile> row_schedule(const SweepRow& row, const std::string& result) {
  if (!row.summary || !row.schedule_file) return std::nullopt;
  const std::string path = schedule_path(result, row);
  std::string fault;
  try {
    ScheduleFile report = parse_schedule_file(read_file(path), path);
    fault = row_difference(row, report);
    if (fault.empty()) {
      const std::vector<std::string> findings = verify_schedule_file(report);
      if (findings.empty()) return report;
      fault = findings.front();
    }
  } catch (const InputError& error) {
    fault = error.what();
  }
  spdlog::warn("point {}: its schedule cannot be used: '{}': {}", row.point, path, fault);
  return std::nullopt;
}

bool row_proven(const SweepRow& row, double gap) {
  if (row.status == SweepRow::Status::infeasible) return true;
  return row.summary && row.summary->gap <= gap + kProofTolerance;
}

SweepOutcome row_outcome(const SweepRow& row, const std::optional<ScheduleFile>& file) {
  SweepOutcome outcome{.origin = row.origin,
                       .origin_point = row.origin_point.value_or(-1),
                       .wall_seconds = row.wall_seconds};
  SolveResult& result = outcome.result;
  result.reason = row.reason;
  result.status = row.summary ? Status::optimal : Status::infeasible;
  if (row.summary) {
    result.energy_joules = row.summary->energy_joules;
    result.lower_bound_joules = row.summary->lower_bound_joules;
  }
  if (file) {
    result.schedule = file->schedule;
    result.statistics = file->solver;
  }
  return outcome;
}

/// The shorter of the two ways to state it is how it was stated.
std::string stated_runtime(const RowProblem& problem) {
  const std::string ratio = fmt::format("{}", problem.runtime_budget_ratio);
  const std::string seconds = fmt::format("{}s", problem.limits.runtime_budget_seconds);
  return ratio.size() <= seconds.size() ? ratio : seconds;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string joined(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, ","));
}

}  // namespace

FinishedSweep::FinishedSweep(const std::string& path) : path_(path) {
  const std::string text = read_file(path, kMaxResultBytes);
  const ResultKind kind = result_kind(text);
  if (kind == ResultKind::min_ram) {
    throw InputError(path,
                     "found the answers of a finished sweep --min-ram, which have no schedule to "
                     "begin with; search anew with --output");
  }
  require_schedules(kind, path);
  if (kind != ResultKind::sweep) {
    throw InputError(path, "found no lines of a sweep; expected them");
  }
  for (SweepRow& row : parse_sweep(text, path)) {
    std::optional<ScheduleFile> file = row_schedule(row, path);
    rows_.push_back({.row = std::move(row), .file = std::move(file)});
  }
}

SweepRequest FinishedSweep::request() const {
  std::vector<std::string> models;
  std::vector<std::string> platforms;
  std::vector<std::string> techniques;
  std::vector<std::string> runtimes;
  std::vector<std::string> paging_times;
  std::vector<std::string> budgets;
  const SweepRow& first = rows_.front().row;
  SweepRequest request{.batch_size = first.problem.batch_size};
  request.settings.mem_power_scale = first.problem.mem_power_scale;
  request.settings.gap = first.requested_gap;
  const auto size_text = [](const std::optional<Bytes>& size) {
    return size ? fmt::format("{}", *size) : std::string();
  };
  request.storage_budget = size_text(first.problem.limits.storage_budget_bytes);
  request.page_out_budget = size_text(first.problem.limits.page_out_budget_bytes);
  for (const auto& [row, file] : rows_) {
    add_once(models, row.problem.model);
    if (row.problem.platform) add_once(platforms, *row.problem.platform);
    add_once(techniques, std::string(name_of(row.problem.limits.techniques)));
    add_once(paging_times, std::string(name_of(row.problem.limits.paging_time)));
    add_once(runtimes, stated_runtime(row.problem));
    add_once(budgets, ram_budget_word(row.problem.limits.ram_budget_bytes));
    if (row.schedule_file && request.schedules.empty()) {
      const auto folder = std::filesystem::path(schedule_path(path_, row)).parent_path();
      request.schedules = folder.empty() ? "." : folder.string();
    }
  }
  // What differs between models is what is usual for them.
  if (paging_times.size() == 1) request.paging_time = paging_times.front();
  request.models = joined(models);
  request.platforms = joined(platforms);
  request.techniques = joined(techniques);
  request.runtime_budget = joined(runtimes);
  request.ram_budget = joined(budgets);
  return request;
}

void FinishedSweep::check(const SweepGrid& grid, const std::vector<SweepPoint>& points) const {
  std::vector<std::string> graphs;
  for (const SweepSubject& subject : grid.subjects) {
    graphs.push_back(graph_sha256(subject.graph, subject.limits.paging_time));
  }
  const auto refuse = [&](const std::string& found) {
    throw InputError("--resume",
                     fmt::format("{}: found {}; expected the whole grid that it was made with, and "
                                 "models that have not changed",
                                 path_, found));
  };
  if (rows_.size() != points.size()) {
    refuse(fmt::format("{} points where this grid has {}", rows_.size(), points.size()));
  }
  for (std::size_t p = 0; p < points.size(); ++p) {
    const SweepRow& row = rows_[p].row;
    const SweepPoint& point = points[p];
    const bool same = row.point == static_cast<int>(p) &&
                      row.problem.graph_sha256 == graphs[point.subject] &&
                      row.problem.limits == point.limits;
    if (!same) refuse(fmt::format("another point {} than in this grid", p));
  }
}

void FinishedSweep::take(const std::vector<SweepPoint>& points, double gap, SweepOutcomes& outcomes,
                         std::vector<std::vector<Schedule>>& starts,
                         std::vector<Joules>& bounds) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto& [row, file] = rows_[p];
    if (outcomes[p]) continue;
    // A file that is gone or wrong leaves the bound, and the point is solved again.
    const bool lost = row.schedule_file && !file;
    if (row_proven(row, gap) && !lost) {
      outcomes[p] = row_outcome(row, file);
      continue;
    }
    if (file) starts[points[p].subject].push_back(file->schedule);
    if (row.summary) bounds[p] = std::max(bounds[p], row.summary->lower_bound_joules);
  }
}

void FinishedSweep::keep_rows(std::vector<PointResult>& results, double gap) const {
  for (PointResult& result : results) {
    const auto& [row, file] = rows_[result.row.point];
    if (!row.summary || row.schedule_file) continue;
    const std::optional<Summary> found = result.row.summary;
    if (found && found->energy_joules <= row.summary->energy_joules) continue;
    result = {.row = row};
    Summary& kept = *result.row.summary;
    if (found)
      kept.lower_bound_joules = std::max(kept.lower_bound_joules, found->lower_bound_joules);
    kept.gap = relative_gap(kept.energy_joules, kept.lower_bound_joules);
    kept.gap_extra = relative_extra_gap(kept.energy_joules, kept.lower_bound_joules,
                                        kept.baseline_energy_joules);
    result.row.requested_gap = gap;
    result.row.status =
        row_proven(result.row, gap) ? SweepRow::Status::optimal : SweepRow::Status::feasible;
  }
}

}  // namespace poet::cli
