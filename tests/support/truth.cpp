#include "support/truth.hpp"

#include <fmt/format.h>

#include "support/oracle.hpp"

namespace poet::test {
namespace {

/// Of the energy: what sums in another order and the documented proof tolerance may differ by, and
/// for a bound, which no tolerance of a proof lifts, the former alone.
constexpr double kTolerance = 2e-9;
constexpr double kBoundTolerance = 1e-9;
/// The runtime is compared with a documented slack of 1e-9. Where the answer depends on that, the
/// energy has to lie between those of a budget certainly within and one certainly beyond.
constexpr double kRuntimeSlack = 2e-9;

std::optional<OracleAnswer> ask(const Problem& problem, Seconds runtime_budget) {
  Limits limits = problem.limits;
  limits.runtime_budget_seconds = runtime_budget;
  return ask_oracle(problem.graph, limits);
}

bool feasible_in(const Problem& problem, Bytes ram, double runtime_factor) {
  Problem other = problem;
  other.limits.ram_budget_bytes = ram;
  return ask(other, runtime_factor * problem.limits.runtime_budget_seconds).has_value();
}

/// What is wrong with calling the problem infeasible.
std::string check_infeasible(const Problem& problem, const Truth& truth,
                             const SolveResult& result) {
  if (truth.strict) {
    return fmt::format("infeasible ({}); a schedule of {:.17g} J exists", result.reason,
                       *truth.strict);
  }
  if (!result.smallest_ram_bytes) return {};
  const Bytes smallest = *result.smallest_ram_bytes;
  if (smallest > 1 && feasible_in(problem, smallest - 1, 1 - kRuntimeSlack)) {
    return fmt::format("called too small: {} bytes; one byte less works", smallest);
  }
  if (result.smallest_ram_is_exact && !feasible_in(problem, smallest, 1 + kRuntimeSlack)) {
    return fmt::format("said to be enough: {} bytes; no schedule fits", smallest);
  }
  return {};
}

}  // namespace

Truth::Truth(const Problem& problem) {
  const Seconds budget = problem.limits.runtime_budget_seconds;
  const auto answer = ask(problem, budget * (1 + kRuntimeSlack));
  if (!answer) return;
  lenient = strict = answer->energy_joules;
  schedule = answer->schedule;
  if (answer->runtime_seconds <= budget * (1 - kRuntimeSlack)) return;
  const auto again = ask(problem, budget * (1 - kRuntimeSlack));
  strict = again ? std::optional(again->energy_joules) : std::nullopt;
}

std::string what_is_wrong(const Problem& problem, const Truth& truth, const SolveResult& result,
                          double gap) {
  if (result.status == Status::infeasible) return check_infeasible(problem, truth, result);
  const Joules bound = result.lower_bound_joules;
  if (truth.strict && bound > *truth.strict * (1 + kBoundTolerance)) {
    return fmt::format("bound {:.17g} J above the optimum of {:.17g} J", bound, *truth.strict);
  }
  if (result.status == Status::unknown) return {};
  const Joules energy = result.energy_joules;
  if (!truth.lenient) return fmt::format("a schedule of {:.17g} J where there is none", energy);
  if (energy < *truth.lenient * (1 - kTolerance)) {
    return fmt::format("{:.17g} J, below the optimum of {:.17g} J", energy, *truth.lenient);
  }
  if (bound > energy) return fmt::format("bound {:.17g} J above {:.17g} J", bound, energy);
  if (result.status == Status::feasible || !truth.strict) return {};
  if (energy * (1 - gap) > *truth.strict * (1 + kTolerance)) {
    return fmt::format("{:.17g} J called optimal; the optimum is {:.17g} J", energy, *truth.strict);
  }
  return {};
}

}  // namespace poet::test
