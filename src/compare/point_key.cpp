#include "compare/point_key.hpp"

#include <fmt/format.h>

namespace poet {
namespace {

std::string subject_of(const RowProblem& problem) {
  return problem.platform ? fmt::format("{}/{}", problem.model, *problem.platform) : problem.model;
}

}  // namespace

std::string compared_name(const SweepRow& row) {
  return fmt::format("{} {} {:.10g}x {} bytes", subject_of(row.problem), row.problem.techniques,
                     row.problem.runtime_budget_ratio, row.ram_budget_bytes);
}

std::string point_key(const SweepRow& row) {
  const RowProblem& problem = row.problem;
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", problem.model, problem.platform.value_or(""),
                     problem.batch_size, problem.mem_power_scale, problem.techniques,
                     problem.runtime_budget_ratio, row.ram_budget_bytes);
}

std::string problem_difference(const SweepRow& baseline, const SweepRow& fresh) {
  std::string difference;
  const auto check = [&](const char* what, const auto& before, const auto& now) {
    if (!difference.empty() || before == now) return;
    difference = fmt::format("{} was {}, is {}", what, before, now);
  };
  const RowProblem& before = baseline.problem;
  const RowProblem& now = fresh.problem;
  check("the model", before.model, now.model);
  check("the platform", before.platform.value_or("none"), now.platform.value_or("none"));
  check("the batch size", before.batch_size, now.batch_size);
  check("the memory power scale", before.mem_power_scale, now.mem_power_scale);
  check("the set of techniques", before.techniques, now.techniques);
  check("the RAM budget in bytes", baseline.ram_budget_bytes, fresh.ram_budget_bytes);
  check("the graph's digest", before.graph_sha256.substr(0, 12), now.graph_sha256.substr(0, 12));
  check("the runtime budget in seconds", before.runtime_budget_seconds, now.runtime_budget_seconds);
  return difference;
}

}  // namespace poet
