// A sweep against as many separate solves, in the same run: is the sweep as good, and what does it
// save?
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"

namespace {

using poet::Seconds;
using poet::Status;
using poet::SweepGrid;
using poet::SweepOutcomes;
using poet::SweepPoint;

/// The sweep has to take no more than this share of the separate solves' time.
constexpr double kMostTime = 0.5;

template <typename Work>
Seconds seconds_of(Work work) {
  const poet::Stopwatch watch;
  work();
  return watch.elapsed();
}

SweepGrid make_grid(const std::string& model, const std::string& platform,
                    const std::string& runtime, const std::string& count) {
  SweepGrid grid{.ram = poet::parse_ram_ranges("min..100%:" + count),
                 .runtime = poet::parse_runtime_budgets(runtime),
                 .techniques = {poet::kBothTechniques}};
  poet::Subject subject{.model = poet::load_model(model),
                             .platform = poet::load_platform(platform)};
  subject.graph = poet::cost_graph(subject.model, &*subject.platform);
  subject.base = poet::baseline(subject.graph);
  grid.subjects.push_back(std::move(subject));
  return grid;
}

/// The whole sweep as the command runs it: `min`, the points, and setting them right.
std::vector<SweepPoint> run(const SweepGrid& grid, SweepOutcomes& outcomes) {
  const auto tasks = poet::loosest_tasks(grid);
  poet::MinRams found;
  poet::run_min_ram(grid, tasks, {}, found);
  const auto points = poet::sweep_points(grid, poet::smallest_ram(grid, tasks, found));
  poet::SweepOptions options;
  options.starts = {{found.front()->schedule}};
  poet::run_sweep(grid, points, options, outcomes);
  poet::share_results(grid, points, options.solve.settings.gap, outcomes);
  return points;
}

/// Solves every point by itself and says what each way found. False where the sweep is worse: a
/// point without the proof that the separate solve has, an energy that rises with the budget, too
/// much time.
bool compare(const SweepGrid& grid) {
  SweepOutcomes outcomes;
  std::vector<SweepPoint> points;
  const Seconds together = seconds_of([&] { points = run(grid, outcomes); });
  Seconds apart = 0;
  bool fine = true;
  double last = 0;
  fmt::print("{:>12} {:>14} {:>10} {:>8} {:>14} {:>8}\n", "RAM bytes", "sweep J", "status", "s",
             "alone J", "s");
  for (std::size_t p = 0; p < points.size(); ++p) {
    const poet::Problem problem{.graph = grid.subjects[0].graph, .limits = points[p].limits};
    poet::SolveResult alone;
    const Seconds seconds = seconds_of([&] { alone = poet::solve(problem); });
    apart += seconds;
    const poet::SolveResult& found = outcomes[p]->result;
    fmt::print("{:>12} {:>14.10g} {:>10} {:>8.2f} {:>14.10g} {:>8.2f}\n",
               points[p].limits.ram_budget_bytes, found.energy_joules,
               poet::outcome_name(*outcomes[p]), outcomes[p]->wall_seconds, alone.energy_joules,
               seconds);
    std::fflush(stdout);
    fine = fine && (found.status == alone.status || found.status == Status::optimal);
    fine = fine && (p == 0 || found.energy_joules <= last);
    last = found.energy_joules;
  }
  fmt::print("sweep {:.2f} s, separate solves {:.2f} s: a share of {:.2f}\n", together, apart,
             together / apart);
  return fine && together <= kMostTime * apart;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int a, const char* usual) {
    return std::string(argc > a ? argv[a] : usual);
  };
  try {
    return compare(make_grid(argument(1, "vgg16_cifar"), argument(2, "m4"), argument(3, "3"),
                             argument(4, "16")))
               ? 0
               : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_sweep_bench: {}\n", error.what());
    return 2;
  }
}
