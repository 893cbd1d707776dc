#include "app/commands/baselines/method_bars.hpp"

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "baselines/fields.hpp"
#include "baselines/method.hpp"
#include "poet/problem.hpp"

namespace poet::cli {

std::vector<MethodBar> bars_of(const std::vector<BaselineRow>& rows) {
  std::vector<MethodBar> bars;
  for (const BaselineRow& row : rows) {
    const Limits& limits = row.problem.limits;
    MethodBar bar{.problem = fmt::format("{}, RAM budget {}, runtime {:.4g}x",
                                         subject_name(row.problem.model, row.problem.platform),
                                         format_bytes(limits.ram_budget_bytes),
                                         row.problem.runtime_budget_ratio),
                  .method = row.method,
                  .baseline_energy_joules = row.baseline_energy_joules};
    for (const MethodInfo& method : all_methods()) {
      if (method.name == row.method) bar.techniques = technique_set_name(method.techniques);
    }
    if (row.status == BaselineRow::Status::feasible && row.summary) {
      bar.energy_joules = row.summary->energy_joules;
      // In an order of its own a method has a bound of its own.
      if (row.problem.order_sha256.empty())
        bar.lower_bound_joules = row.summary->lower_bound_joules;
    } else {
      bar.without = row.status == BaselineRow::Status::infeasible
                        ? "no schedule within the budgets"
                        : std::string(name_of(row.status));
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace poet::cli
