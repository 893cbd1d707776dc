// How far bounds rise on graphs that are no chains, and how soon.
//   poet_bound_bench [SECONDS [SEED]]   graphs whose edges reach far, without a backward pass and
//                                       without paging; then an exact training step

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/solve.hpp"
#include "synthetic.hpp"

namespace {

using namespace poet;

/// Every bound of a solve, with its time.
class Trace {
 public:
  void note(Seconds seconds, Joules bound) {
    if (steps_.empty() || bound > steps_.back().second) steps_.emplace_back(seconds, bound);
  }
  /// When the bound had this share of its rise above the baseline.
  Seconds time_of(double share, Joules base, Joules last) const {
    for (const auto& [seconds, bound] : steps_) {
      if (bound - base >= share * (last - base)) return seconds;
    }
    return 0;
  }

 private:
  std::vector<std::pair<Seconds, Joules>> steps_;
};

void measure_bound(const std::string& name, const Problem& problem, Seconds time_limit) {
  const Joules base = baseline(problem.graph).energy_joules;
  Trace trace;
  SolveOptions options{.settings = {.time_limit_seconds = time_limit}};
  options.progress = [&](const Progress& now) {
    trace.note(now.elapsed_seconds, now.bound_joules);
  };
  const SolveResult result = solve(problem, options);
  const auto above_baseline = [&](Joules energy) {
    return fmt::format("{:.4f}", 100 * (energy / base - 1));
  };
  const Joules bound = result.lower_bound_joules;
  fmt::print("{:<32} {:>6} {:>10} {:>10} {:>8.2f} {:>8.2f} {:>8.2f}  {}\n", name,
             problem.graph.size(), result.schedule ? above_baseline(result.energy_joules) : "-",
             above_baseline(bound), trace.time_of(0.9, base, bound),
             trace.time_of(0.99, base, bound), result.statistics.wall_seconds,
             status_name(result.status));
  std::fflush(stdout);
}

void measure_reaching(int nodes, int percentage, std::uint64_t seed, Seconds time_limit) {
  Problem problem{.graph = bench::reaching_graph(nodes, seed)};
  const Baseline base = baseline(problem.graph);
  const double share = percentage / 100.0;
  problem.limits = {
      .ram_budget_bytes = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes)),
      .runtime_budget_seconds = 1000 * base.runtime_seconds,
      .paging = false};
  measure_bound(fmt::format("reaching-{} {} %", nodes, percentage), problem, time_limit);
}

void measure_exact(Bytes ram_budget, Seconds time_limit) {
  const Platform platform = load_platform("m4");
  Problem problem{.graph = cost_graph(load_model("resnet18_cifar", 1, Backward::exact), &platform)};
  problem.limits = {.ram_budget_bytes = ram_budget,
                    .runtime_budget_seconds = 3 * baseline(problem.graph).runtime_seconds,
                    .paging_time = PagingTime::blocking};
  measure_bound(fmt::format("resnet18_cifar/m4 exact {}", ram_budget), problem, time_limit);
}

}  // namespace

int main(int argc, char** argv) {
  const Seconds time_limit = argc > 1 ? std::atof(argv[1]) : 60;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("{:<32} {:>6} {:>10} {:>10} {:>8} {:>8} {:>8}  status\n", "problem", "nodes",
             "energy +%", "bound +%", "90 % s", "99 % s", "wall s");
  try {
    for (const int nodes : {100, 250, 500, 1000}) {
      for (const int percentage : {90, 80, 60}) {
        measure_reaching(nodes, percentage, seed, time_limit);
      }
    }
    for (const Bytes budget : {264396, 467763, 738918}) measure_exact(budget, time_limit);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bound_bench: {}\n", error.what());
    return 2;
  }
  return 0;
}
