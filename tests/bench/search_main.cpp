// The search for schedules by itself: how good it gets in so much processor time on some of the
// benchmark's problems.
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "poet/simulate.hpp"
#include "search_bench.hpp"
#include "solver/search/local_search.hpp"

namespace {

using poet::Problem;
using poet::Seconds;
using poet::bench::processor_seconds;

struct Options : poet::bench::SearchOptions {
  std::optional<poet::PagingTime> paging_time;
  std::vector<Seconds> marks{1, 10};
};

/// What was found when.
struct Trace {
  Seconds first = -1;
  std::vector<poet::Joules> at_marks;
  poet::Joules best = -1;
};

Trace run(const Problem& problem, const Options& options, std::uint32_t seed) {
  const Seconds begin = processor_seconds();
  const auto elapsed = [&] { return processor_seconds() - begin; };
  const poet::Joules base = poet::baseline(problem.graph).energy_joules;
  Trace trace;
  const auto pass_marks = [&] {
    while (trace.at_marks.size() < options.marks.size() &&
           elapsed() >= options.marks[trace.at_marks.size()]) {
      trace.at_marks.push_back(trace.best);
    }
  };
  const auto offer = [&](const poet::Schedule& schedule) {
    pass_marks();
    const poet::Replay replay = poet::simulate(problem.graph, schedule, problem.limits);
    if (!replay.valid()) {
      fmt::print("INVALID: {}\n", replay.violations.front().message);
      return;
    }
    if (trace.first < 0) trace.first = elapsed();
    const poet::Joules extra = replay.energy_joules - base;
    if (trace.best < 0 || extra < trace.best) trace.best = extra;
  };
  const auto stop = [&] {
    pass_marks();
    return trace.at_marks.size() == options.marks.size();
  };
  constexpr std::int64_t kNoLimit = 1'000'000'000'000;
  // With both techniques the search has three parts, of which each takes its share of the time.
  poet::local_search(problem, {.moves = kNoLimit,
                               .seed = seed,
                               .stop = stop,
                               .seconds = options.marks.back(),
                               .improved = offer});
  while (trace.at_marks.size() < options.marks.size()) trace.at_marks.push_back(trace.best);
  return trace;
}

void report(const std::string& name, const Problem& problem, const Options& options) {
  const poet::Baseline base = poet::baseline(problem.graph);
  for (const std::uint32_t seed : options.seeds) {
    const Trace trace = run(problem, options, seed);
    std::string line = fmt::format("{:<28} seed {:<3}", name, seed);
    line += trace.first < 0 ? "  first     none" : fmt::format("  first {:8.3f}", trace.first);
    for (const poet::Joules extra : trace.at_marks) {
      line += extra < 0
                  ? fmt::format("{:>22}", "-")
                  : fmt::format("  {:11.6g} {:7.3f}%", extra, 100 * extra / base.energy_joules);
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("The search for schedules by itself, in processor time");
  poet::bench::add_search_options(app, options);
  const std::map<std::string, poet::PagingTime> times{{"free", poet::PagingTime::free},
                                                      {"blocking", poet::PagingTime::blocking},
                                                      {"overlapped", poet::PagingTime::overlapped}};
  app.add_option("--paging-time", options.paging_time, "free, blocking, or overlapped")
      ->transform(CLI::CheckedTransformer(times));
  app.add_option("--marks-s", options.marks, "processor time to report at")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI11_PARSE(app, argc, argv);
  return poet::bench::search_problems(options, [&](const std::string& name, Problem problem) {
    if (options.paging_time) problem.limits.paging_time = *options.paging_time;
    report(name, problem, options);
  });
}
