#include "question/any_choice.hpp"

#include <fmt/format.h>

#include "solver/order/order_working_set.hpp"

namespace poet {

double effort_of_choice(const SolveSettings& settings) {
  constexpr double kFast = 0.1;
  return settings.effort == Effort::fast ? kFast : 1;
}

std::optional<SolveResult> infeasible_with_any_choice(const Subject& subject, const Graph& computed,
                                                      const Limits& limits,
                                                      std::string_view choice) {
  SolveResult result{.status = Status::infeasible};
  Problem roomy{.graph = subject.graph, .limits = limits};
  roomy.limits.ram_budget_bytes = subject.base.peak_ram_bytes;
  const Verdict verdict = instant_verdict(roomy, subject.base);
  if (verdict.kind == Verdict::Kind::infeasible) {
    result.reason = verdict.reason;
    return result;
  }
  const OrderWorkingSet needed(computed);
  if (needed.of_any_order() <= limits.ram_budget_bytes) return std::nullopt;
  result.node = needed.largest_node();
  result.smallest_ram_bytes = needed.of_any_order();
  const Node& node = computed.nodes[*result.node];
  result.reason = fmt::format(
      "the RAM budget of {} bytes is below the {} bytes that node {} ('{}', {}) needs for its "
      "inputs and its output at once{}, {}",
      limits.ram_budget_bytes, needed.of_any_order(), *result.node, node.name, node.op,
      node.workspace_bytes > 0 ? ", its workspace" : "", choice);
  return result;
}

}  // namespace poet
