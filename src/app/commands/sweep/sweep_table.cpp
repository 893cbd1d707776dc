// What people read of a sweep on stderr: a table, and messages. Programs read the JSON lines.

#include "app/commands/sweep/sweep_table.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/figures.hpp"

namespace poet::cli {
namespace {

bool charges_transfers(const SweepRow& row) {
  return row.problem.limits.paging_time != PagingTime::free;
}

/// How long computations take without transfers, in a column that is there if any row charges them.
std::string computing(const SweepRow& row) {
  if (!row.summary) return {};
  return fmt::format("{:.4f}",
                     row.summary->compute_runtime_ratio.value_or(row.summary->runtime_ratio));
}

/// Rows of an older result can lack it.
std::string extra_gap_figure(const Summary& s) {
  return gap_figure(s.gap_extra.value_or(
      relative_extra_gap(s.energy_joules, s.lower_bound_joules, s.baseline_energy_joules)));
}

std::string figures(const Summary& s) {
  return fmt::format("{:>12} {:>+9.3f} {:>9} {:>9} {:>12} {:>8.4f} {:>7} {:>7}",
                     format_joules(s.energy_joules, Zeros::kept), 100 * s.energy_overhead,
                     gap_figure(s.gap), extra_gap_figure(s),
                     format_bytes(s.peak_ram_bytes, Zeros::kept), s.runtime_ratio,
                     s.recompute_count, s.page_in_count);
}

std::string origin_of(const SweepRow& row) {
  const std::size_t copies = row.problem.copies.tensors.size();
  const std::string order = copies > 0                         ? fmt::format(", {} copies", copies)
                            : row.problem.order_sha256.empty() ? ""
                                                               : ", other order";
  if (row.origin_point) return fmt::format("of point {}{}", *row.origin_point, order);
  return row.origin == SweepOutcome::Origin::solved
             ? fmt::format("{:.2f} s{}", row.wall_seconds, order)
             : fmt::format("{}{}", name_of(row.origin), order);
}

}  // namespace

void print_table(const std::vector<SweepRow>& rows) {
  const bool charged = std::any_of(rows.begin(), rows.end(), charges_transfers);
  const auto extra = [&](const std::string& text) {
    return charged ? fmt::format(" {:>9}", text) : std::string();
  };
  fmt::print(stderr,
             "{:>5} {:<22} {:<7} {:>8} {:>12} {:<10} {:>12} {:>9} {:>9} {:>9} {:>12} {:>8} {:>7} "
             "{:>7}{}  {}\n",
             "point", "model/platform", "with", "runtime", "RAM", "status", "energy", "over. %",
             "gap %", "of extra", "peak", "took x", "recomp.", "page-in", extra("computing"),
             "from");
  for (const SweepRow& row : rows) {
    fmt::print(stderr, "{:>5} {:<22} {:<7} {:>7.4g}x {:>12} {:<10} {:<80}{}  {}\n", row.point,
               subject_name(row.problem.model, row.problem.platform),
               name_of(row.problem.limits.techniques), row.problem.runtime_budget_ratio,
               format_bytes(row.problem.limits.ram_budget_bytes, Zeros::kept), name_of(row.status),
               row.summary ? figures(*row.summary) : "", extra(computing(row)), origin_of(row));
  }
}

void print_table(const std::vector<MinRamRow>& rows) {
  fmt::print(stderr, "{:<22} {:<7} {:>8} {:<10} {:>14} {:>14} {:>14}  {}\n", "model/platform",
             "with", "runtime", "status", "none below B", "works at B", "baseline B", "decided by");
  for (const MinRamRow& row : rows) {
    const auto bytes = [](const std::optional<Bytes>& size) {
      return size ? fmt::format("{}", *size) : std::string("-");
    };
    const std::string node = row.node ? fmt::format("node {} ({}, {}): {}", *row.node,
                                                    row.node_name, row.node_op, row.decided_by)
                                      : row.reason;
    fmt::print(stderr, "{:<22} {:<7} {:>7.4g}x {:<10} {:>14} {:>14} {:>14}  {}\n",
               subject_name(row.problem.model, row.problem.platform),
               name_of(row.problem.limits.techniques), row.problem.runtime_budget_ratio,
               name_of(row.status), bytes(row.infeasible_below_bytes),
               bytes(row.feasible_ram_bytes), row.baseline_peak_ram_bytes, node);
  }
}

std::string tally(const std::vector<SweepRow>& rows) {
  const auto solves = std::count_if(rows.begin(), rows.end(),
                                    [](const SweepRow& row) { return row.wall_seconds > 0; });
  return fmt::format("{}: {}; {}", counted(rows.size(), "point"), counts(rows),
                     counted(solves, "solve"));
}

std::string tally(const std::vector<MinRamRow>& rows) {
  return fmt::format("{}: {}", counted(rows.size(), "smallest RAM budget"), counts(rows));
}

std::string failure(const SweepRow& row) {
  return fmt::format("point {} failed: {}", row.point, row.reason);
}

std::string failure(const MinRamRow& row) {
  return fmt::format("task {} failed: {}", row.task, row.reason);
}

std::string describe(const SweepGrid& grid, const SweepPoint& point) {
  return fmt::format("{} {} {} {}", grid.subjects[point.subject].name(),
                     technique_set_name(point.limits.techniques),
                     runtime_budget_name(point.runtime),
                     format_bytes(point.limits.ram_budget_bytes));
}

std::string describe(const SweepGrid& grid, const MinRamTask& task) {
  return fmt::format("smallest RAM of {} {} {}", grid.subjects[task.subject].name(),
                     technique_set_name(task.limits.techniques), runtime_budget_name(task.runtime));
}

std::string describe(const SweepOutcome& outcome) {
  const std::string_view status = outcome_name(outcome);
  if (!outcome.failure.empty()) return fmt::format("{}, {}", status, outcome.failure);
  const std::string energy = outcome.result.schedule
                                 ? fmt::format(" {}", format_joules(outcome.result.energy_joules))
                                 : std::string();
  const std::string origin = outcome.origin_point >= 0
                                 ? fmt::format(" of point {}", outcome.origin_point)
                                 : fmt::format(", {:.2f} s", outcome.wall_seconds);
  return fmt::format("{}{}{}", status, energy, origin);
}

std::string describe(const MinRam& found) {
  if (!found.failure.empty()) return fmt::format("failed, {}", found.failure);
  if (found.infeasible) return "infeasible";
  const std::string interval =
      found.exact() ? std::string() : fmt::format("{} to ", found.infeasible_below_bytes);
  return fmt::format("{}{} bytes, {:.2f} s", interval, found.feasible_bytes, found.wall_seconds);
}

}  // namespace poet::cli
