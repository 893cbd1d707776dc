#include "measure.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "poet/simulate.hpp"
#include "problem_name.hpp"
#include "subprocess.hpp"

namespace poet::bench {
namespace {

/// Sums of the same costs in another order.
constexpr double kReplayTolerance = 1e-9;
/// How long a solve may overrun its time limit before it is killed.
constexpr Seconds kGrace = 60;

static_assert(std::is_trivially_copyable_v<Figures>);

/// What is wrong with a result, or nothing.
std::string find_fault(const Problem& problem, const SolveResult& result) {
  const Replay replay = simulate(problem.graph, *result.schedule, problem.limits);
  if (!replay.valid()) return "invalid schedule: " + replay.violations.front().message;
  const Joules energy = replay.energy_joules;
  if (std::abs(energy - result.energy_joules) > kReplayTolerance * energy) {
    return fmt::format("the replay says {} J, the solver {} J", energy, result.energy_joules);
  }
  if (result.lower_bound_joules > energy * (1 + kReplayTolerance)) {
    return fmt::format("the bound of {} J is above the energy of {} J", result.lower_bound_joules,
                       energy);
  }
  return {};
}

/// Sends the figures, and a fault after them as text.
void solve_here(const std::function<Problem()>& make_problem, const SolveOptions& options,
                const Send& send) {
  const Problem problem = make_problem();
  const SolveResult result = solve(problem, options);
  const std::string fault = result.schedule ? find_fault(problem, result) : std::string();
  const Figures figures{.status = result.status,
                        .has_schedule = result.schedule.has_value(),
                        .valid = fault.empty(),
                        .graph_nodes = problem.graph.size(),
                        .rows = result.statistics.rows,
                        .columns = result.statistics.columns,
                        .wall_seconds = result.statistics.wall_seconds,
                        .baseline_joules = baseline(problem.graph).energy_joules,
                        .energy_joules = result.energy_joules,
                        .bound_joules = result.lower_bound_joules};
  send({reinterpret_cast<const char*>(&figures), sizeof figures});
  send(fault);
}

}  // namespace

bool Measurement::settled() const {
  return ok() && (figures.status == Status::optimal || figures.status == Status::infeasible);
}

std::string Measurement::outcome() const {
  return ok() ? std::string(status_name(figures.status)) : "FAILED";
}

Measurement measure(const std::string& name, const std::function<Problem()>& make_problem,
                    const Conditions& conditions) {
  const Seconds limit = conditions.solve.settings.time_limit_seconds;
  const SubprocessResult child =
      run_in_subprocess([&](const Send& send) { solve_here(make_problem, conditions.solve, send); },
                        {.wall_seconds = limit > 0 ? limit + kGrace : 0,
                         .memory_bytes = conditions.memory_limit_bytes});
  Measurement result{
      .problem = name, .gap_asked = conditions.solve.settings.gap, .time_limit_seconds = limit};
  const bool whole = child.output.size() >= sizeof result.figures;
  if (!child.clean || !whole) {
    result.figures.wall_seconds = child.wall_seconds;
    result.failure = child.message.empty() ? "no figures arrived" : child.message;
    return result;
  }
  std::memcpy(&result.figures, child.output.data(), sizeof result.figures);
  result.failure = child.output.substr(sizeof result.figures);
  return result;
}

Measurement measure(const std::string& name, const Conditions& conditions) {
  return measure(
      name, [&] { return problem_of(name); }, conditions);
}

}  // namespace poet::bench
