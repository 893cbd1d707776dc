// The rows of a finished sweep as a start for the same sweep with more time or a smaller gap. A row
// has figures and no schedule; the schedule is in a file that the row names, if there is one and if
// it is still what the row says. With it a point goes on from its schedule. A proven row that names
// no file stays as it is, and an open one is solved again and put back unless something better was
// found. A row whose file is lost has only its bound left.
//
// A bound is about one order of the nodes. Where the file that states the order is gone, the bound
// helps no other point.

#include "runs/finished_sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "report/fields.hpp"
#include "runs/sweep_journal.hpp"
#include "solver/incumbent.hpp"

namespace poet {
namespace {

/// The schedule file of a row; nothing, with a warning, if it is not what the row says.
std::optional<ScheduleFile> row_schedule(const SweepRow& row, const std::string& result,
                                         const Note& warn) {
  if (!row.summary || !row.schedule_file) return std::nullopt;
  const std::string path = schedule_path(result, row);
  std::string fault;
  try {
    ScheduleFile file = parse_schedule_file(read_file(path), path);
    fault = row_difference(row, file);
    if (fault.empty()) {
      const std::vector<std::string> findings = verify_schedule_file(file);
      if (findings.empty()) return file;
      fault = findings.front();
    }
  } catch (const InputError& error) {
    fault = error.what();
  }
  warn(fmt::format("point {}: its schedule cannot be used: '{}': {}", row.point, path, fault));
  return std::nullopt;
}

bool row_proven(const SweepRow& row, double gap) {
  if (row.status == SweepRow::Status::infeasible) return true;
  return row.summary && row.summary->gap <= gap + kProofTolerance;
}

/// The order of a file's nodes, as an outcome of this subject states it.
NodeOrder order_of(const ScheduleFile& file, const Subject& subject) {
  return subject.chosen ? NodeOrder() : file.model.order;
}

SweepOutcome row_outcome(const SweepRow& row, const std::optional<ScheduleFile>& file,
                         const Subject& subject) {
  SweepOutcome outcome{.given_order = row.given_order,
                       .origin = row.origin,
                       .origin_point = row.origin_point.value_or(-1),
                       .wall_seconds = row.wall_seconds};
  SolveResult& result = outcome.result;
  result.reason = row.reason;
  result.status = row.summary ? Status::optimal : Status::infeasible;
  if (row.summary) {
    result.energy_joules = row.summary->energy_joules;
    result.lower_bound_joules = row.summary->lower_bound_joules;
    // Without a file the order of its nodes is not known, and so the bound helps nobody else.
    const bool in_own_order = row.problem.order_sha256 == subject.order_sha256();
    if (!file && !in_own_order) result.lower_bound_joules = row.baseline_energy_joules;
  }
  if (file) {
    outcome.order = order_of(*file, subject);
    outcome.given_order_energy_joules = file->bought.given_order_energy_joules;
    result.schedule = file->schedule;
    result.statistics = file->solver;
  }
  return outcome;
}

}  // namespace

FinishedSweep::FinishedSweep(const std::string& path, const Note& warn) : path_(path) {
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
    std::optional<ScheduleFile> file = row_schedule(row, path, warn);
    rows_.push_back({.row = std::move(row), .file = std::move(file)});
  }
}

void FinishedSweep::check_order(const SweepRequest& request) const {
  const auto before = with_place("--resume", [&] { return finished_request(path_); });
  if (!before) return;
  const auto order = [](const SweepRequest& asked) {
    return asked.settings.order == OrderKind::stated
               ? fmt::format("{} with the digest {}", asked.order_file, asked.order_file_sha256)
               : std::string(name_of(asked.settings.order));
  };
  if (order(request) == order(*before)) return;
  throw InputError("--resume", fmt::format("the sweep was made with --order {}, found {}; expected "
                                           "the same",
                                           order(*before), order(request)));
}

void FinishedSweep::check(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                          OrderKind kind) const {
  std::vector<std::string> graphs;
  std::vector<std::string> orders;
  for (const Subject& subject : grid.subjects) {
    graphs.push_back(subject.graph_sha256());
    orders.push_back(subject.order_sha256());
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
    if (kind != OrderKind::search && row.problem.order_sha256 != orders[point.subject]) {
      throw InputError("--resume",
                       fmt::format("{}: point {} is in another order of the nodes; expected the "
                                   "--order that the sweep was made with",
                                   path_, p));
    }
  }
}

void FinishedSweep::take(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                         const SolveSettings& settings, SweepOutcomes& outcomes,
                         std::vector<std::vector<OrderedSchedule>>& starts,
                         std::vector<OrderBound>& bounds) const {
  const double gap = settings.gap;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto& [row, file] = rows_[p];
    const Subject& subject = grid.subjects[points[p].subject];
    if (outcomes[p]) continue;
    // Whether no order has a schedule is known at once, and a row cannot say of which it speaks.
    const bool is_verdict =
        settings.order == OrderKind::search && row.status == SweepRow::Status::infeasible;
    if (is_verdict) continue;
    // A file that is gone or wrong leaves the bound, and the point is solved again.
    const bool lost = row.schedule_file && !file;
    if (row_proven(row, gap) && !lost) {
      outcomes[p] = row_outcome(row, file, subject);
      continue;
    }
    if (file) {
      starts[points[p].subject].push_back({file->schedule, order_of(*file, subject)});
    }
    if (!row.summary || row.summary->lower_bound_joules <= bounds[p].joules) continue;
    bounds[p] = {row.summary->lower_bound_joules, row.problem.order_sha256};
  }
}

void FinishedSweep::keep_rows(std::vector<PointResult>& results, double gap) const {
  for (PointResult& result : results) {
    const auto& [row, file] = rows_[result.row.point];
    if (!row.summary || row.schedule_file) continue;
    const std::optional<Summary> found = result.row.summary;
    if (found && found->energy_joules <= row.summary->energy_joules) continue;
    const bool same_order = result.row.problem.order_sha256 == row.problem.order_sha256;
    result = {.row = row};
    Summary& kept = *result.row.summary;
    if (found && same_order)
      kept.lower_bound_joules = std::max(kept.lower_bound_joules, found->lower_bound_joules);
    kept.gap = relative_gap(kept.energy_joules, kept.lower_bound_joules);
    kept.gap_extra = relative_extra_gap(kept.energy_joules, kept.lower_bound_joules,
                                        kept.baseline_energy_joules);
    result.row.requested_gap = gap;
    result.row.status =
        row_proven(result.row, gap) ? SweepRow::Status::optimal : SweepRow::Status::feasible;
  }
}

}  // namespace poet
