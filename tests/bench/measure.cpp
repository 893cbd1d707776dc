#include "measure.hpp"

#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "poet/simulate.hpp"
#include "progress_trace.hpp"
#include "subprocess.hpp"

namespace poet::bench {
namespace {

/// Sums of the same costs in another order.
constexpr double kTolerance = 1e-9;
/// Best known energies are given in five digits or more.
constexpr double kDigits = 1e-5;
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

/// A schedule better than the bound is known, or one exists where none should.
std::string contradiction(const Instance& instance, const Figures& figures) {
  if (instance.best_extra_joules <= 0) return {};
  if (figures.status == Status::infeasible) return "called infeasible, but a schedule is known";
  const Joules known = figures.baseline_joules + instance.best_extra_joules * (1 + kDigits);
  if (figures.bound_joules <= known * (1 + kTolerance)) return {};
  return fmt::format("the bound of {} J is above the best known energy of {} J",
                     figures.bound_joules, known);
}

Bytes most_memory(const rusage& usage) {
  return Bytes{usage.ru_maxrss} * 1024;
}

Seconds processor_time(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void send_figures(const Send& send, Figures figures) {
  rusage solver{};
  rusage children{};
  ::getrusage(RUSAGE_SELF, &solver);
  ::getrusage(RUSAGE_CHILDREN, &children);
  figures.solver_rss_bytes = most_memory(solver);
  figures.children_rss_bytes = most_memory(children);
  figures.processor_seconds = processor_time(solver) + processor_time(children);
  send({reinterpret_cast<const char*>(&figures), sizeof figures});
}

void write_result_to(Figures& figures, const SolveResult& result) {
  const SolveStatistics& report = result.statistics;
  figures.finished = true;
  figures.status = result.status;
  figures.has_schedule = result.schedule.has_value();
  figures.rows = report.rows;
  figures.columns = report.columns;
  figures.nonzeros = report.nonzeros;
  figures.nodes = report.nodes;
  figures.build_seconds = report.build_seconds;
  figures.first_schedule_seconds = report.first_schedule_seconds;
  figures.heuristic_seconds = report.heuristic_seconds;
  figures.milp_seconds = report.milp_seconds;
  figures.wall_seconds = report.wall_seconds;
  figures.energy_joules = result.energy_joules;
  figures.bound_joules = result.lower_bound_joules;
}

/// Sends figures whenever there is news; the last ones are finished, and a fault follows as text.
void solve_here(const Instance& instance, const std::function<Problem()>& make_problem,
                SolveOptions options, const Send& send) {
  const Problem problem = make_problem();
  Figures figures{.graph_nodes = problem.graph.size(),
                  .baseline_joules = baseline(problem.graph).energy_joules};
  ProgressTrace trace;
  options.progress = [&](const Progress& now) {
    if (!trace.note(now)) return;
    trace.write_to(figures, now.elapsed_seconds);
    send_figures(send, figures);
  };
  const SolveResult result = solve(problem, options);
  write_result_to(figures, result);
  trace.write_history_to(figures);
  std::string fault = result.schedule ? find_fault(problem, result) : std::string();
  if (fault.empty()) fault = contradiction(instance, figures);
  figures.valid = fault.empty();
  send_figures(send, figures);
  send(fault);
}

/// Takes the last figures out of what a child sent, and returns the text after finished ones.
std::string take_figures(const std::string& output, Figures& figures) {
  std::size_t at = 0;
  while (!figures.finished && output.size() - at >= sizeof figures) {
    std::memcpy(&figures, output.data() + at, sizeof figures);
    at += sizeof figures;
  }
  return output.substr(at);
}

}  // namespace

double Figures::gap_on_extra() const {
  return relative_extra_gap(energy_joules, bound_joules, baseline_joules);
}

bool Measurement::settled() const {
  return ok() && (figures.status == Status::optimal || figures.status == Status::infeasible);
}

Measurement measure(const Instance& instance, const std::function<Problem()>& make_problem,
                    const Conditions& conditions) {
  const Seconds limit = conditions.solve.settings.time_limit_seconds;
  const SubprocessResult child = run_in_subprocess(
      [&](const Send& send) { solve_here(instance, make_problem, conditions.solve, send); },
      {.wall_seconds = limit > 0 ? limit + kGrace : 0,
       .memory_bytes = conditions.memory_limit_bytes});
  Measurement result{.instance = instance,
                     .gap_asked = conditions.solve.settings.gap,
                     .time_limit_seconds = limit,
                     .memory_limit_bytes = conditions.memory_limit_bytes,
                     .program_sha256 = program_sha256(),
                     .peak_rss_bytes = child.peak_rss_bytes};
  result.failure = take_figures(child.output, result.figures);
  if (!result.figures.finished) {  // the last news may be old
    result.figures.wall_seconds = child.wall_seconds;
    result.figures.solver_rss_bytes = child.peak_rss_bytes;
  }
  if (!child.clean || !result.figures.finished) {
    result.failure = child.message.empty() ? "no figures arrived" : child.message;
  }
  return result;
}

Measurement measure(const Instance& instance, const Conditions& conditions) {
  const Problem problem = problem_of(instance);
  Conditions seeded = conditions;
  seeded.solve.settings.seed = instance.solver_seed;
  Measurement result = measure(
      instance, [&] { return problem; }, seeded);
  result.graph_sha256 = graph_sha256(problem.graph, problem.limits.paging_time);
  return result;
}

}  // namespace poet::bench
