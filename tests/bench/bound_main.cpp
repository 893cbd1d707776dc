// How far bounds rise on graphs that are no chains, and how soon.
//   poet_bound_bench [SECONDS [SEED [NAME]]]   graphs whose edges reach far, without a backward
//   pass
//                                              and without paging; then an exact training step;
//                                              only problems whose name contains NAME

#include <sys/resource.h>

#include <algorithm>
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
#include "subprocess.hpp"
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

/// What this process and the children that it waited for have used.
struct Used {
  Seconds processor_seconds = 0;
  long mebibytes = 0;  ///< of the largest process
};

Used used_so_far() {
  Used used;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      used.processor_seconds +=
          static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    used.mebibytes = std::max(used.mebibytes, usage.ru_maxrss / 1024);
  }
  return used;
}

std::string bound_row(const std::string& name, const Problem& problem, Seconds time_limit) {
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
  const Used used = used_so_far();
  return fmt::format("{:<32} {:>6} {:>10} {:>10} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>6}  {}\n",
                     name, problem.graph.size(),
                     result.schedule ? above_baseline(result.energy_joules) : "-",
                     above_baseline(bound), trace.time_of(0.9, base, bound),
                     trace.time_of(0.99, base, bound), result.statistics.wall_seconds,
                     used.processor_seconds, used.mebibytes, status_name(result.status));
}

/// Solves in a process of its own, for its figures to be about one problem.
void measure_bound(const std::string& name, const Problem& problem, Seconds time_limit) {
  const auto work = [&](const bench::Send& send) { send(bound_row(name, problem, time_limit)); };
  const bench::SubprocessResult result = bench::run_in_subprocess(work, {});
  fmt::print("{}", result.clean ? result.output : fmt::format("{}: {}\n", name, result.message));
  std::fflush(stdout);
}

/// What the command line asks for.
struct Wish {
  Seconds time_limit = 60;
  std::uint64_t seed = 1;
  std::string name;

  bool covers(const std::string& other) const { return other.find(name) != std::string::npos; }
};

void measure_reaching(int nodes, int percentage, const Wish& wish) {
  const std::string name = fmt::format("reaching-{} {} %", nodes, percentage);
  if (!wish.covers(name)) return;
  Problem problem{.graph = bench::reaching_graph(nodes, wish.seed)};
  const Baseline base = baseline(problem.graph);
  const double share = percentage / 100.0;
  problem.limits = {
      .ram_budget_bytes = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes)),
      .runtime_budget_seconds = 1000 * base.runtime_seconds,
      .techniques = kOnlyRemat};
  measure_bound(name, problem, wish.time_limit);
}

void measure_exact(Bytes ram_budget, const Wish& wish) {
  const std::string name = fmt::format("resnet18_cifar/m4 exact {}", ram_budget);
  if (!wish.covers(name)) return;
  const Platform platform = load_platform("m4");
  Problem problem{.graph = cost_graph(load_model("resnet18_cifar", 1, Backward::exact), &platform)};
  problem.limits = {.ram_budget_bytes = ram_budget,
                    .runtime_budget_seconds = 3 * baseline(problem.graph).runtime_seconds,
                    .paging_time = PagingTime::blocking};
  measure_bound(name, problem, wish.time_limit);
}

}  // namespace

int main(int argc, char** argv) {
  const Wish wish{.time_limit = argc > 1 ? std::atof(argv[1]) : 60,
                  .seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1,
                  .name = argc > 3 ? argv[3] : ""};
  fmt::print("{:<32} {:>6} {:>10} {:>10} {:>8} {:>8} {:>8} {:>8} {:>6}  status\n", "problem",
             "nodes", "energy +%", "bound +%", "90 % s", "99 % s", "wall s", "cpu s", "MiB");
  try {
    for (const int nodes : {100, 250, 500, 1000}) {
      for (const int percentage : {90, 80, 60}) measure_reaching(nodes, percentage, wish);
    }
    for (const Bytes budget : {264396, 467763, 738918}) measure_exact(budget, wish);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bound_bench: {}\n", error.what());
    return 2;
  }
  return 0;
}
