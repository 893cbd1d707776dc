#include <CLI/CLI.hpp>
#include <exception>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "best_known_file.hpp"
#include "options.hpp"

namespace {

using poet::bench::Options;

void add_options(CLI::App& app, Options& options) {
  app.add_option(
         "--set", options.set,
         "instances: the named ones, the grid of budgets, samples of it and of points between\n"
         "its budgets, or samples of other kinds of graphs")
      ->check(
          CLI::IsMember({"named", "grid", "sample", "sample2", "layered", "exact", "inference"}))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "a subset, and less time for each");
  app.add_option("--filter", options.filter, "only instances whose name contains this")
      ->type_name("TEXT");
  app.add_option("--shard", options.shard, "only part I of N, so that N processes can share a set")
      ->type_name("I/N");
  app.add_option("--time-limit-s", options.time_limit_seconds,
                 "per instance; 0 = none; 60 where not given, less with --quick")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit-gib", options.memory_limit_gib,
                 "of address space, for the solver and each of its children; 0 = none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--gap", options.gap, "relative gap at which an instance counts as proven")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  app.add_option("--solve-threads", options.solve_threads, "processes per solve")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option(
         "--jsonl", options.jsonl,
         "write one JSON object per instance there as well, at once; what an earlier run with\n"
         "the same options has written there is not solved again")
      ->type_name("FILE");
  app.add_option("--best-known", options.best_known, "what energies and bounds are compared with")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--update-best", options.update_best,
                 "put what is better than in FILE into it; nothing in it gets worse")
      ->type_name("FILE");
  app.add_flag("--list", options.list, "name the instances and solve none");
}

/// What to do instead of solving every instance of a set once.
void add_modes(CLI::App& app, Options& options) {
  CLI::Option* const merge =
      app.add_option("--merge", options.merge, "solve nothing; report on files that --jsonl wrote")
          ->type_name("FILE");
  CLI::Option* const ablation = app.add_flag("--ablation", options.ablation,
                                             "with every technique, then without each one in turn");
  CLI::Option* const poet =
      app.add_flag("--poet-baseline", options.poet_baseline,
                   "beside ours, POET's own formulation, solved by the program cbc");
  CLI::Option* const scale =
      app.add_flag("--scale", options.scale, "synthetic graphs of 500 to 2000 nodes, and growth");
  poet->excludes(merge)->excludes(ablation);
  scale->excludes(merge)->excludes(ablation)->excludes(poet);
  poet->excludes(app.get_option("--jsonl"));
  for (CLI::Option* const mode : {ablation, poet, scale}) {
    mode->excludes(app.get_option("--update-best"));
  }
  for (const char* option : {"--set", "--filter", "--shard"})
    scale->excludes(app.get_option(option));
  for (const char* option : {"--set", "--filter", "--shard", "--jsonl"}) {
    merge->excludes(app.get_option(option));
  }
  for (CLI::Option* const mode : {merge, ablation, poet, scale}) {
    mode->excludes(app.get_option("--list"));
  }
}

/// Hours of solving must not end with a file that cannot be updated.
void check_update(const Options& options) {
  if (options.update_best.empty()) return;
  poet::check_writable(options.update_best);
  poet::bench::read_best_known(options.update_best);
}

int run(const Options& options) {
  check_update(options);
  if (!options.merge.empty()) return run_merge(options);
  if (options.ablation) return run_ablation(options);
  if (options.poet_baseline) return run_poet_baseline(options);
  if (options.scale) return run_scale(options);
  return run_set(options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Solves a set of problems, one after the other and each in a process of its own, replays\n"
      "every schedule, and prints sizes, times, energies and gaps. Exit 1 if one is invalid.",
      "poet_bench");
  add_options(app, options);
  add_modes(app, options);
  try {
    app.parse(argc, argv);
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bench: {}\n", error.what());
    return 2;
  }
}
