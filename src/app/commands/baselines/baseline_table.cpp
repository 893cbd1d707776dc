#include "app/commands/baselines/baseline_table.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "baselines/fields.hpp"

namespace poet::cli {
namespace {

/// The figures of a schedule, also of one that exceeds the budgets, to which no gap belongs.
std::string schedule_figures(const BaselineRow& row) {
  if (!row.summary) return {};
  const Summary& s = *row.summary;
  const bool fits = row.status == BaselineRow::Status::feasible;
  return fmt::format("{:>12} {:>+9.3f} {:>9} {:>12} {:>8.4f} {:>7} {:>7} {:>8}",
                     format_joules(s.energy_joules, Zeros::kept), 100 * s.energy_overhead,
                     fits ? gap_figure(s.gap) : "-", format_bytes(s.peak_ram_bytes, Zeros::kept),
                     s.runtime_ratio, s.recompute_count, s.page_in_count,
                     fmt::format("{:.2f} s", row.wall_seconds));
}

std::string status_text(const BaselineRow& row) {
  const bool optimal = row.status == BaselineRow::Status::feasible && row.proven.value_or(false);
  return optimal ? "optimal" : std::string(name_of(row.status));
}

}  // namespace

void print_table(const std::vector<BaselineRow>& rows) {
  fmt::print(
      stderr,
      "{:<22} {:>8} {:>12} {:<13} {:<14} {:>12} {:>9} {:>9} {:>12} {:>8} {:>7} {:>7} {:>8}\n",
      "model/platform", "runtime", "RAM", "method", "status", "energy", "over. %", "gap %", "peak",
      "took x", "recomp.", "page-in", "time");
  for (const BaselineRow& row : rows) {
    fmt::print(stderr, "{:<22} {:>7.4g}x {:>12} {:<13} {:<14} {}\n",
               subject_name(row.problem.model, row.problem.platform),
               row.problem.runtime_budget_ratio,
               format_bytes(row.problem.limits.ram_budget_bytes, Zeros::kept), row.method,
               status_text(row), schedule_figures(row));
  }
}

std::string tally(const std::vector<BaselineRow>& rows) {
  std::string text;
  for (const auto& [status, word] : kNames<BaselineRow::Status>) {
    const auto has_it = [wanted = status](const BaselineRow& row) { return row.status == wanted; };
    const auto count = std::count_if(rows.begin(), rows.end(), has_it);
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  }
  return fmt::format("{} row{}: {}", rows.size(), rows.size() == 1 ? "" : "s",
                     text.empty() ? "none" : text);
}

}  // namespace poet::cli
