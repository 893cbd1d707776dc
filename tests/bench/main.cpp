#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

#include <fmt/format.h>

#include "instance.hpp"
#include "measure.hpp"
#include "poet/error.hpp"
#include "tally.hpp"

namespace {

using poet::bench::Instance;
using poet::bench::Measurement;

struct Options {
  std::string set = "named";
  bool quick = false;
  bool list = false;
  std::string filter;
  std::string jsonl;
  double time_limit_seconds = 60;
  double gap = 1e-4;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--set", options.set, "instances: the named ones, or the grid of budgets")
      ->check(CLI::IsMember({"named", "grid"}))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "a subset that takes a minute or so");
  app.add_option("--filter", options.filter, "only instances whose name contains this")
      ->type_name("TEXT");
  app.add_option("--time-limit-s", options.time_limit_seconds, "per instance; 0 = none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--gap", options.gap, "relative gap at which an instance counts as proven")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  app.add_option("--jsonl", options.jsonl, "write one JSON object per instance there as well")
      ->type_name("FILE");
  app.add_flag("--list", options.list, "name the instances and solve none");
}

std::vector<Instance> choose(const Options& options) {
  std::vector<Instance> instances = options.set == "grid"
                                        ? poet::bench::grid_instances(options.quick)
                                        : poet::bench::named_instances(options.quick);
  std::erase_if(instances, [&](const Instance& instance) {
    return instance.name().find(options.filter) == std::string::npos;
  });
  return instances;
}

std::ofstream open_jsonl(const std::string& path) {
  std::ofstream file;
  if (path.empty()) return file;
  file.open(path);
  if (!file) throw poet::InputError(path, "cannot write there");
  return file;
}

/// A line at a time and at once: a long run can be watched, and loses nothing when it is ended.
void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

int run(const Options& options) {
  const std::vector<Instance> instances = choose(options);
  if (options.list) {
    for (const Instance& instance : instances) say(instance.name());
    return 0;
  }
  std::ofstream jsonl = open_jsonl(options.jsonl);
  const poet::SolveOptions solve{.gap = options.gap,
                                 .time_limit_seconds = options.time_limit_seconds};
  std::vector<Measurement> measurements;
  say(poet::bench::table_heading());
  for (const Instance& instance : instances) {
    measurements.push_back(poet::bench::measure(instance, solve));
    say(poet::bench::table_row(measurements.back()));
    if (jsonl.is_open()) jsonl << poet::bench::json_line(measurements.back()) << std::endl;
  }
  say("\n" + poet::bench::summary(measurements));
  const bool fine = std::all_of(measurements.begin(), measurements.end(),
                                [](const Measurement& m) { return m.ok(); });
  return fine ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Solves a set of problems, one after the other and each in a process of its own, replays\n"
      "every schedule, and prints sizes, times, energies and gaps. Exit 1 if one is invalid.",
      "poet_bench");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bench: {}\n", error.what());
    return 2;
  }
}
