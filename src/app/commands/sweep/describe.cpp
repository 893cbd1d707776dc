#include "app/commands/sweep/describe.hpp"

#include <fmt/format.h>

namespace poet::cli {

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
