// The search for schedules by itself: how good it gets in so much processor time, on random layered
// graphs of every size and tightness, or on one model of a platform.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/simulate.hpp"
#include "solver/search/local_search.hpp"
#include "synthetic.hpp"

namespace {

using poet::Problem;
using poet::Seconds;

struct Options {
  std::string model;
  std::string platform = "m4";
  poet::Bytes ram_bytes = 0;
  double runtime_ratio = 3;
  bool exact = false;
  bool paging = true;
  poet::PagingTime paging_time = poet::PagingTime::free;
  std::vector<int> sizes{100, 250, 500, 1000};
  std::vector<int> percentages{90, 80, 60};
  std::vector<int> graphs{1};
  std::vector<std::uint32_t> seeds{1};
  std::vector<Seconds> marks{1, 10};
};

Seconds processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

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
  poet::local_search(problem, {.moves = kNoLimit, .seed = seed, .stop = stop, .improved = offer});
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

void report_layered(const Options& options) {
  for (const int size : options.sizes) {
    for (const int graph : options.graphs) {
      for (const int percentage : options.percentages) {
        Problem problem{
            .graph = poet::bench::synthetic_graph(poet::bench::Family::far_reaching, size, graph)};
        const poet::Baseline base = poet::baseline(problem.graph);
        problem.limits = {.ram_budget_bytes = base.peak_ram_bytes * percentage / 100,
                          .runtime_budget_seconds = 1000 * base.runtime_seconds,
                          .techniques = poet::kOnlyRemat};
        report(fmt::format("layered {} ({}), {} %", size, graph, percentage), problem, options);
      }
    }
  }
}

void report_model(const Options& options) {
  const poet::Model model = poet::load_model(
      options.model, 1, options.exact ? std::optional(poet::Backward::exact) : std::nullopt);
  const poet::Platform platform = poet::load_platform(options.platform);
  Problem problem{.graph = poet::cost_graph(model, &platform)};
  const poet::Baseline base = poet::baseline(problem.graph);
  problem.limits = {.ram_budget_bytes = options.ram_bytes,
                    .runtime_budget_seconds = options.runtime_ratio * base.runtime_seconds,
                    .techniques = {.paging = options.paging},
                    .paging_time = options.paging_time};
  report(fmt::format("{}/{} {} {}x", options.model, options.platform, options.ram_bytes,
                     options.runtime_ratio),
         problem, options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("The search for schedules by itself, in processor time");
  app.add_option("--model", options.model, "instead of layered graphs");
  app.add_option("--platform", options.platform);
  app.add_option("--ram-bytes", options.ram_bytes);
  app.add_option("--runtime", options.runtime_ratio, "budget, as a multiple of the baseline's");
  app.add_flag("--exact", options.exact, "the exact training step of the model");
  const std::map<std::string, poet::PagingTime> times{{"free", poet::PagingTime::free},
                                                      {"blocking", poet::PagingTime::blocking},
                                                      {"overlapped", poet::PagingTime::overlapped}};
  app.add_option("--paging-time", options.paging_time, "free, blocking, or overlapped")
      ->transform(CLI::CheckedTransformer(times));
  app.add_option("--sizes", options.sizes)->delimiter(',');
  app.add_option("--percent", options.percentages, "RAM, of the baseline's peak")->delimiter(',');
  app.add_option("--graphs", options.graphs, "seeds of graphs")->delimiter(',');
  app.add_option("--seeds", options.seeds, "of the search")->delimiter(',');
  app.add_option("--marks-s", options.marks, "processor time to report at")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.model.empty()) {
      report_layered(options);
    } else {
      report_model(options);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
