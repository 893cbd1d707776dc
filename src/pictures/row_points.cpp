#include "pictures/curves.hpp"

#include <fmt/format.h>

namespace poet::plot {
namespace {

std::string model_name(const RowProblem& problem) {
  if (problem.batch_size == 1) return problem.model;
  return fmt::format("{}, batch size {}", problem.model, problem.batch_size);
}

std::string platform_name(const RowProblem& problem) {
  std::string name = problem.platform.value_or("");
  if (problem.mem_power_scale == 1) return name;
  return fmt::format("{}{}memory power x{:.4g}", name, name.empty() ? "" : " with ",
                     problem.mem_power_scale);
}

/// The words of --techniques as a legend needs them, which has no option beside it.
std::string techniques_name(const TechniqueSet& set) {
  if (set == kBothTechniques) return "remat + paging";
  if (set == kOnlyRemat) return "remat only";
  return set == kOnlyPaging ? "paging only" : "neither remat nor paging";
}

/// Techniques with all that limits transfers.
std::string techniques_name(const RowProblem& problem) {
  const Limits& limits = problem.limits;
  std::string name = techniques_name(limits.techniques);
  if (limits.paging_time != PagingTime::free) {
    name += fmt::format(", {} transfers", name_of(limits.paging_time));
  }
  if (limits.storage_budget_bytes) {
    name += fmt::format(", {} of storage", format_bytes(*limits.storage_budget_bytes));
  }
  if (limits.page_out_budget_bytes) {
    name += fmt::format(", {} of page-outs", format_bytes(*limits.page_out_budget_bytes));
  }
  return name;
}

Status status_of(SweepRow::Status status) {
  return value_of<Status>(name_of(status)).value_or(Status::unknown);
}

}  // namespace

std::vector<CurvePoint> curve_points(std::span<const SweepRow> rows) {
  std::vector<CurvePoint> points;
  points.reserve(rows.size());
  for (const SweepRow& row : rows) {
    CurvePoint point{.model = model_name(row.problem),
                     .platform = platform_name(row.problem),
                     .techniques = techniques_name(row.problem),
                     .ram_budget_bytes = row.problem.limits.ram_budget_bytes,
                     .runtime_budget_ratio = row.problem.runtime_budget_ratio,
                     .status = status_of(row.status),
                     .baseline_energy_joules = row.baseline_energy_joules};
    if (row.summary) {
      point.energy_joules = row.summary->energy_joules;
      point.lower_bound_joules = row.summary->lower_bound_joules;
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace poet::plot
