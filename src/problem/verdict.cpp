// Many problems need no solver. In a sweep over budgets, both ends of the range are of this kind:
// above the baseline's peak nothing is to be gained, and below the working set nothing can run.
// Each verdict is a proof of one line, so the tests check them against an exhaustive search.

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

bool runs_in_time(const Problem& problem, const Baseline& base) {
  return base.runtime_seconds <= problem.limits.runtime_budget_seconds * (1 + kRuntimeSlack);
}

std::string working_set_reason(const Graph& graph, const WorkingSet& needed, Bytes budget) {
  const Node& node = graph.nodes[needed.node];
  Bytes own = (node.in_place ? 0 : node.bytes) + node.workspace_bytes;
  for (const int input : node.inputs) own += graph.nodes[input].bytes;
  const std::string kept =
      needed.bytes > own ? fmt::format(", beside node {} ('{}'), which cannot be computed again",
                                       needed.node - 1, graph.nodes[needed.node - 1].name)
                         : std::string();
  return fmt::format(
      "the RAM budget of {} bytes is below the {} bytes that node {} ('{}', {}) needs for its "
      "inputs{} and its output at once{}",
      budget, needed.bytes, needed.node, node.name, node.op,
      node.workspace_bytes > 0 ? ", its workspace" : "", kept);
}

}  // namespace

Verdict instant_verdict(const Problem& problem, const Baseline& base) {
  const Limits& limits = problem.limits;
  if (!runs_in_time(problem, base)) {
    const auto [budget, once] = distinct(limits.runtime_budget_seconds, base.runtime_seconds);
    return {.kind = Verdict::Kind::infeasible,
            .reason = fmt::format(
                "the runtime budget of {} s is below the {} s that it takes to "
                "compute every node once; a runtime budget of 1 works if the RAM budget does",
                budget, once)};
  }
  if (base.peak_ram_bytes <= limits.ram_budget_bytes) {
    return {.kind = Verdict::Kind::optimal,
            .reason = fmt::format("the RAM budget holds the {} bytes of the baseline's peak",
                                  base.peak_ram_bytes)};
  }
  const WorkingSet needed = working_set(problem.graph);
  if (limits.ram_budget_bytes < needed.bytes) {
    return {.kind = Verdict::Kind::infeasible,
            .reason = working_set_reason(problem.graph, needed, limits.ram_budget_bytes),
            .smallest_ram_bytes = needed.bytes,
            .node = needed.node};
  }
  if (!limits.techniques.paging && !limits.techniques.remat) {
    return {.kind = Verdict::Kind::infeasible,
            .reason = fmt::format("with neither paging nor rematerialisation allowed every output "
                                  "is kept, which needs {} bytes; the RAM budget is {} bytes",
                                  base.peak_ram_bytes, limits.ram_budget_bytes),
            .smallest_ram_bytes = base.peak_ram_bytes,
            .smallest_ram_is_exact = true};
  }
  return {};
}

}  // namespace poet
