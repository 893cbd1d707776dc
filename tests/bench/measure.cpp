#include "measure.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "subprocess.hpp"

namespace poet::bench {
namespace {

/// Sums of the same costs in another order.
constexpr double kTolerance = 1e-9;
/// How long a solve may overrun its time limit before it is killed.
constexpr Seconds kGrace = 60;

static_assert(std::is_trivially_copyable_v<Figures>);

/// What is wrong with a result, or nothing.
std::string find_fault(const Problem& problem, const SolveResult& result) {
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  if (!replay.valid()) return "invalid schedule: " + replay.violations.front().message;
  const Joules energy = replay.energy_joules;
  if (std::abs(energy - result.energy_joules) > kTolerance * energy) {
    return fmt::format("the replay says {} J, the solver {} J", energy, result.energy_joules);
  }
  if (result.lower_bound_joules > energy * (1 + kTolerance)) {
    return fmt::format("the bound of {} J is above the energy of {} J", result.lower_bound_joules,
                       energy);
  }
  return {};
}

/// Figures as bytes, then the fault as text.
std::string solve_here(const Instance& instance, const SolveOptions& options) {
  const Platform platform = load_platform(instance.platform);
  Problem problem{.graph = apply_platform(load_model(instance.model), &platform)};
  const Baseline base = baseline(problem.graph);
  problem.limits = {
      .ram_budget_bytes = instance.ram_bytes,
      .runtime_budget_seconds = resolve(RuntimeBudget{Ratio{instance.runtime_ratio}}, base)};
  const SolveResult result = solve(problem, options);
  const std::string fault = result.schedule ? find_fault(problem, result) : std::string();
  const SolverReport& report = result.report;
  const Figures figures{.status = result.status,
                        .has_schedule = result.schedule.has_value(),
                        .valid = fault.empty(),
                        .rows = report.rows,
                        .columns = report.columns,
                        .nonzeros = report.nonzeros,
                        .nodes = report.nodes,
                        .build_seconds = report.build_seconds,
                        .first_schedule_seconds = report.first_schedule_seconds,
                        .heuristic_seconds = report.heuristic_seconds,
                        .milp_seconds = report.milp_seconds,
                        .wall_seconds = report.wall_seconds,
                        .baseline_joules = base.energy_joules,
                        .energy_joules = result.energy_joules,
                        .bound_joules = result.lower_bound_joules};
  std::string bytes(sizeof figures, '\0');
  std::memcpy(bytes.data(), &figures, sizeof figures);
  return bytes + fault;
}

}  // namespace

double Figures::gap_on_extra() const {
  const Joules open = energy_joules - bound_joules;
  return extra_joules() > 0 && open > 0 ? open / extra_joules() : 0;
}

Measurement measure(const Instance& instance, const SolveOptions& options) {
  const Seconds limit =
      options.time_limit_seconds > 0 ? options.time_limit_seconds + kGrace : Seconds{0};
  const SubprocessResult child =
      run_in_subprocess([&] { return solve_here(instance, options); }, limit);
  Measurement result{.instance = instance, .peak_rss_bytes = child.peak_rss_bytes};
  if (!child.clean || child.output.size() < sizeof(Figures)) {
    result.failure = child.message.empty() ? "no figures arrived" : child.message;
    return result;
  }
  std::memcpy(&result.figures, child.output.data(), sizeof(Figures));
  result.failure = child.output.substr(sizeof(Figures));
  return result;
}

}  // namespace poet::bench
