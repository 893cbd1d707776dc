#include "compare/report_row.hpp"

#include "io/graph_digest.hpp"

namespace poet {
namespace {

TechniqueSet techniques_of(const Request& request) {
  if (request.paging) return request.remat ? TechniqueSet::both : TechniqueSet::paging;
  return request.remat ? TechniqueSet::remat : TechniqueSet::none;
}

}  // namespace

SweepRow report_row(const Report& report) {
  SweepRow row{
      .status = std::string(status_name(report.status)),
      .problem = {.model = report.model.name,
                  .model_sha256 = report.model.sha256,
                  .graph_sha256 = graph_sha256(report.graph),
                  .batch_size = report.model.batch_size,
                  .mem_power_scale = report.request.mem_power_scale,
                  .techniques = std::string(technique_set_name(techniques_of(report.request))),
                  .runtime_budget_seconds = report.request.runtime_budget_seconds,
                  .runtime_budget_ratio = report.request.runtime_budget_ratio},
      .ram_budget_bytes = report.request.ram_budget_bytes,
      .requested_gap = report.request.gap,
      .origin = "solved",
      .baseline_energy_joules = report.summary.baseline_energy_joules,
      .baseline_peak_ram_bytes = report.summary.baseline_peak_ram_bytes,
      .summary = report.summary,
      .wall_seconds = report.solver.wall_seconds};
  if (report.platform) {
    row.problem.platform = report.platform->name;
    row.problem.platform_sha256 = report.platform->sha256;
  }
  return row;
}

}  // namespace poet
