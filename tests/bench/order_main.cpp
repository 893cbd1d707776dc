// The search over orders by itself: what it finds on some of the benchmark's problems, beside the
// schedule that it finds in the given order, in processor time.
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "poet/order.hpp"
#include "poet/simulate.hpp"
#include "search_bench.hpp"
#include "solver/order/order_search.hpp"

namespace {

using poet::Problem;
using poet::Seconds;
using poet::bench::processor_seconds;

struct Options : poet::bench::SearchOptions {
  double effort = 1;
  bool traces = false;
};

std::string extra_of(poet::Joules energy, poet::Joules base) {
  return fmt::format("{:.7g}", energy - base);
}

void report(const std::string& name, const Problem& problem, const Options& options,
            std::uint32_t seed) {
  const poet::Joules base = poet::baseline(problem.graph).energy_joules;
  const Seconds begin = processor_seconds();
  Seconds last_better = 0;
  const poet::OrderSearchOptions search{
      .seed = seed,
      .effort = options.effort,
      .improved = [&](const poet::NodeOrder& order, const poet::Schedule&, poet::Joules energy) {
        last_better = processor_seconds() - begin;
        if (!options.traces) return;
        fmt::print("  {:8.2f} s  {} in {} order\n", last_better, extra_of(energy, base),
                   order.empty() ? "the given" : "another");
      }};
  const poet::FoundOrder found =
      poet::search_order(problem, poet::precedence(problem.graph), search);
  const Seconds seconds = processor_seconds() - begin;
  fmt::print("{:<34} seed {}  given {:<12} found {:<12} at {:6.2f} of {:6.2f} s\n", name, seed,
             found.given_energy_joules ? extra_of(*found.given_energy_joules, base) : "none",
             found.schedule ? extra_of(found.energy_joules, base) : "none", last_better, seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.seeds = {1, 2, 3};
  CLI::App app("The search over orders by itself: energy above the baseline in J, processor time");
  poet::bench::add_search_options(app, options);
  app.add_option("--effort", options.effort, "of the usual moves");
  app.add_flag("--traces", options.traces, "print each better schedule");
  CLI11_PARSE(app, argc, argv);
  return poet::bench::search_problems(options,
                                      [&](const std::string& name, const Problem& problem) {
                                        for (const std::uint32_t seed : options.seeds)
                                          report(name, problem, options, seed);
                                      });
}
