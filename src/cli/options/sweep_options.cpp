#include <algorithm>
#include <array>

#include "cli/options/groups.hpp"
#include "cli/options/values.hpp"

namespace poet::cli {
namespace {

constexpr const char* kDescription =
    "solve a grid of budgets, platforms, models and techniques in one go";

constexpr const char* kFooter =
    "Points are solved from loose limits to tight ones: an optimum that fits tighter limits is\n"
    "theirs too, and a bound holds for them as well. The result is one JSON line a point on\n"
    "stdout; a table and the progress are on stderr.\n"
    "Lists are separated by commas. A range FIRST..LAST:COUNT has COUNT budgets at equal\n"
    "distances, its ends included; min is the smallest RAM budget that works.\n"
    "\n"
    "Examples:\n"
    "  poet-solve sweep --models vgg16_cifar --platforms m4 --ram-budget min..100%:16 \\\n"
    "                   --runtime-budget 3 --output curve.jsonl --plot curve.svg\n"
    "      Energy over RAM, from what just works to what holds everything. After a crash:\n"
    "  poet-solve sweep --resume curve.jsonl\n"
    "  poet-solve sweep --models resnet18_cifar --platforms m4 --ram-budget 350000,737719 \\\n"
    "                   --runtime-budget 1.5,3 --techniques both,remat,paging,none --jobs 2\n"
    "      What recomputation and paging are worth, alone and together.\n"
    "  poet-solve sweep --models bert,vgg16 --platforms m0,m4,a72 --runtime-budget 2 --min-ram\n"
    "      The smallest RAM in which each model trains on each board, and the node that decides "
    "it.\n"
    "  poet-solve sweep GRID --schedules runs --dry-run | parallel\n"
    "  poet-solve sweep GRID --collect runs > curve.jsonl\n"
    "      The same grid as single solves, on as many machines as there are.\n"
    "\n"
    "Exit status: 0 every point is solved or proven infeasible; 1 the process of a point crashed,\n"
    "or an internal error; 2 bad usage or input, nothing solved or written; 4 a point is unknown;\n"
    "5 --require-optimal, and a point is not proven; 130 interrupted, finished points are kept.";

CLI::Validator one_of_formats() {
  return CLI::Validator(
      [](std::string& text) {
        return text == "jsonl" || text == "csv"
                   ? std::string{}
                   : fmt::format("found '{}'; expected jsonl or csv", shown(text));
      },
      "");
}

void add_grid(CLI::App& sweep, SweepArguments& arguments) {
  const char* group = "What to solve";
  sweep.add_option("--models,--model", arguments.models, "built-in models and model files")
      ->group(group)
      ->type_name("LIST");
  sweep
      .add_option("--platforms,--platform", arguments.platforms,
                  "built-in platforms and platform files; not needed for models with measured "
                  "costs")
      ->group(group)
      ->type_name("LIST");
  sweep
      .add_option("--ram-budget", arguments.ram_budget,
                  "RAM budgets as for a single solve, and ranges: 25%..100%:16, "
                  "256KiB..2MiB:12, min..100%:16")
      ->group(group)
      ->type_name("LIST");
  sweep
      .add_option("--runtime-budget", arguments.runtime_budget,
                  "runtime budgets as for a single solve, and ranges: 1.5..3:4")
      ->group(group)
      ->type_name("LIST");
  sweep
      .add_option("--techniques", arguments.techniques,
                  "what schedules may use: both, remat, paging, none")
      ->group(group)
      ->type_name("LIST")
      ->capture_default_str();
  sweep
      .add_flag("--min-ram", arguments.min_ram,
                "find the smallest RAM budget instead of solving given ones, and the node that "
                "decides it")
      ->group(group);
}

void add_running(CLI::App& sweep, SweepArguments& arguments) {
  const char* group = "How to run it";
  sweep.add_option("--jobs", arguments.jobs, "points solved at the same time")
      ->group(group)
      ->check(number_text<int>("a whole number from 1 to 256"))
      ->type_name("N")
      ->capture_default_str();
  sweep
      .add_option("--resume", arguments.resume,
                  "go on with the sweep that was to write FILE, from FILE.partial; the grid may "
                  "be left out, or has to be the same")
      ->group(group)
      ->type_name("FILE");
  sweep
      .add_flag("--dry-run", arguments.dry_run,
                "print the single solves instead, as commands for a shell, one a line")
      ->group(group);
  sweep
      .add_option("--collect", arguments.collect,
                  "take the results of those commands from DIR instead of solving")
      ->group(group)
      ->type_name("DIR");
}

void add_results(CLI::App& sweep, Options& options) {
  const char* group = "What to write";
  sweep
      .add_option("--output", options.output,
                  "write the lines there, whole or not at all; FILE.partial keeps finished "
                  "points meanwhile")
      ->group(group)
      ->type_name("FILE");
  sweep.add_option("--format", options.sweep.format, "of --output or stdout")
      ->group(group)
      ->check(one_of_formats())
      ->type_name("jsonl|csv")
      ->capture_default_str();
  sweep.add_option("--csv", options.sweep.csv, "write a table there as well")
      ->group(group)
      ->type_name("FILE");
  sweep
      .add_option("--plot", options.sweep.plot, "write the curves there as SVG, as plot draws them")
      ->group(group)
      ->type_name("FILE");
  sweep
      .add_option("--schedules", options.sweep.schedules,
                  "write each point's schedule file into this directory")
      ->group(group)
      ->type_name("DIR");
}

bool has_request(const CLI::App& sweep) {
  constexpr std::array kAnyway{"--help",    "--jobs",  "--resume",  "--dry-run",
                               "--collect", "--quiet", "--verbose", "--log-file"};
  const std::vector<const CLI::Option*> all = sweep.get_options();
  return std::any_of(all.begin(), all.end(), [&](const CLI::Option* option) {
    return option->count() > 0 &&
           std::find(kAnyway.begin(), kAnyway.end(), option->get_name()) == kAnyway.end();
  });
}

}  // namespace

CLI::App* add_sweep(CLI::App& app, Options& options) {
  CLI::App* sweep = app.add_subcommand("sweep", kDescription);
  sweep->footer(kFooter);
  add_grid(*sweep, options.sweep);
  add_cost_options(*sweep, options);
  add_effort_options(*sweep, options, "each point");
  add_running(*sweep, options.sweep);
  add_results(*sweep, options);
  add_manners(*sweep, options);
  sweep->callback([sweep, &options] { options.sweep.has_request = has_request(*sweep); });
  return sweep;
}

}  // namespace poet::cli
