#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "cli/plot_options.hpp"
#include "io/shown.hpp"
#include "poet/error.hpp"
#include "poet/version.hpp"

namespace poet::cli {
namespace {

constexpr const char* kDescription =
    "Decides how a neural network trains in too little memory: which activations are kept,\n"
    "recomputed, or paged to storage in each training step, with the least energy within a RAM\n"
    "and a runtime budget, and a proven bound on how far from the optimum the answer can be.\n"
    "The schedule is one JSON document on stdout; everything for people is on stderr.";

constexpr const char* kFooter =
    "Examples:\n"
    "  poet-solve --model resnet18_cifar --platform m4 --ram-budget 737719 \\\n"
    "             --runtime-budget 1.5 > schedule.json\n"
    "      Train ResNet-18 on a Cortex-M4 in 720 KiB, in at most 1.5x the time of one pass.\n"
    "  poet-solve --model bert --platform a72 --ram-budget 60% --runtime-budget 2 --no-paging \\\n"
    "             --gap 0 --time-limit-s 600 --output bert.json\n"
    "      BERT on a Raspberry Pi in 60 % of the RAM it takes to keep everything, by\n"
    "      recomputation alone, proven exactly or as far as ten minutes go.\n"
    "  poet-solve verify schedule.json\n"
    "      Replay a schedule file against the rules, with code that shares nothing with the "
    "solver.\n"
    "  poet-solve plot schedule.json --output schedule.svg\n"
    "      Draw it: RAM over time, and when every tensor is kept, recomputed and paged.\n"
    "\n"
    "Exit status: 0 schedule written; 1 internal error; 2 bad usage or input; 3 proven "
    "infeasible;\n"
    "4 limit reached before any schedule; 5 --require-optimal not met; 130 interrupted.";

/// Refuses text that is no number of this type with what it found and what it expected.
template <typename Number>
CLI::Validator number_text(const char* expected) {
  return CLI::Validator(
      [expected](std::string& text) {
        Number value{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool fine = error == std::errc{} && stop == end;
        return fine ? std::string{} : fmt::format("found '{}'; expected {}", shown(text), expected);
      },
      "");
}

CLI::Validator real_text() {
  return number_text<double>("a number");
}

void add_problem_options(CLI::App& app, Options& options) {
  const char* group = "What to solve";
  app.add_option("--model", options.model,
                 "built-in model (--list-models), a model file, or - for stdin")
      ->group(group)
      ->type_name("NAME|FILE");
  app.add_option("--platform", options.platform,
                 "built-in platform (--list-platforms), a platform file, or - for stdin; not "
                 "needed for a model with measured costs")
      ->group(group)
      ->type_name("NAME|FILE");
  app.add_option("--ram-budget", options.ram_budget,
                 "bytes, or with a suffix (KiB MiB GiB kB MB GB), or 60% of the peak RAM when "
                 "nothing is recomputed or paged")
      ->group(group)
      ->type_name("SIZE");
  app.add_option("--runtime-budget", options.runtime_budget,
                 "a multiple of the time to compute every node once (1.5), or absolute (12.5s, "
                 "800ms); compute time only, as in POET")
      ->group(group)
      ->type_name("T");
  app.add_option("--batch-size", options.batch_size, "batch size of a model with a batch dimension")
      ->group(group)
      ->check(number_text<std::int64_t>("a whole number"))
      ->capture_default_str();
  app.add_option("--mem-power-scale", options.mem_power_scale,
                 "factor on the platform's memory power, which paging pays")
      ->group(group)
      ->check(real_text())
      ->capture_default_str();
  const auto add_switch = [&](const char* on, const char* off, bool& value, const char* what) {
    CLI::Option* allow = app.add_flag_callback(
        on, [&value] { value = true; }, fmt::format("allow {} (the default)", what));
    CLI::Option* forbid = app.add_flag_callback(
        off, [&value] { value = false; }, fmt::format("forbid {}", what));
    allow->group(group);
    forbid->group(group)->excludes(allow);
  };
  add_switch("--paging", "--no-paging", options.paging, "paging to storage");
  add_switch("--remat", "--no-remat", options.remat, "recomputation");
}

const std::map<std::string, Effort, std::less<>>& efforts() {
  static const std::map<std::string, Effort, std::less<>> kEfforts{
      {"fast", Effort::fast}, {"default", Effort::standard}, {"proof", Effort::proof}};
  return kEfforts;
}

CLI::Validator one_of_efforts() {
  return CLI::Validator(
      [](std::string& text) {
        return efforts().contains(text)
                   ? std::string{}
                   : fmt::format("found '{}'; expected fast, default or proof", shown(text));
      },
      "");
}

void disable_all(const std::vector<std::string>& names, Techniques& techniques) {
  try {
    for (const std::string& name : names) disable(techniques, name);
  } catch (const InputError& error) {
    throw InputError("--disable", error.what());
  }
}

/// What --effort means for options that the command line leaves at their defaults.
void apply_effort(const CLI::App& app, Options& options) {
  if (options.effort != Effort::proof) return;
  if (app.count("--gap") == 0) options.gap = 0;
  if (app.count("--time-limit-s") == 0) options.time_limit_seconds = 0;
}

void add_effort_options(CLI::App& app, Options& options) {
  const char* group = "How hard to try";
  app.add_option_function<std::string>(
         "--effort", [&options](const std::string& word) { options.effort = efforts().at(word); },
         "fast: a good schedule and a bound in a second or a few; default: until the gap is "
         "met or time is up; proof: --gap 0 and no time limit, unless given")
      ->group(group)
      ->check(one_of_efforts())
      ->type_name("fast|default|proof")
      ->default_str("default");
  app.add_option("--gap", options.gap,
                 "stop when (energy - bound) / energy is at most this; 0 proves it exactly")
      ->group(group)
      ->check(real_text())
      ->type_name("REL")
      ->capture_default_str();
  app.add_option("--time-limit-s", options.time_limit_seconds,
                 "wall clock over everything, in seconds; 0 = none")
      ->group(group)
      ->check(real_text())
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--solve-threads", options.threads, "threads for CBC; 1 repeats exactly")
      ->group(group)
      ->check(number_text<int>("a whole number from 1 to 256"))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the search")
      ->group(group)
      ->check(number_text<std::uint32_t>("a whole number from 0 to 2^32 - 1"))
      ->type_name("N")
      ->capture_default_str();
  // Not in --help: for measuring and testing what each technique does.
  app.add_option_function<std::vector<std::string>>(
         "--disable",
         [&options](const std::vector<std::string>& names) {
           disable_all(names, options.techniques);
         })
      ->delimiter(',')
      ->group("");
  app.add_flag("--require-optimal", options.require_optimal,
               "exit 5 when the schedule is not proven within the gap (it is still written)")
      ->group(group);
}

void add_output_options(CLI::App& app, Options& options) {
  const char* group = "What to write";
  app.add_option("--output", options.output, "write the JSON there, whole or not at all")
      ->group(group)
      ->type_name("FILE");
  app.add_flag("--compact", options.compact, "JSON on one line")->group(group);
  app.add_option("--plot-directory", options.plot_directory,
                 "write the layer graph (DOT, and SVG where Graphviz is) and a picture of the "
                 "schedule into this directory")
      ->group(group)
      ->type_name("DIR");
  app.add_option("--export-model", options.export_model,
                 "write the MILP as .mps or .lp for another solver, then solve")
      ->group(group)
      ->type_name("FILE");
  app.add_flag("--print-graph-info", options.print_graph_info, "table of the nodes on stderr")
      ->group(group);
  app.add_flag("--print-power-costs", options.print_power_costs,
               "table of each node's energy and time on stderr")
      ->group(group);
}

void add_general_options(CLI::App& app, Options& options) {
  app.add_flag("--list-models", options.list_models, "what is built in, with sizes");
  app.add_flag("--list-platforms", options.list_platforms, "what is built in, with its figures");
  app.add_flag("--json", options.json, "lists as JSON on stdout");
  app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
  app.add_flag("-v,--verbose", options.verbose, "more on stderr");
  app.add_option("--log-file", options.log_file, "write the log there as well")->type_name("FILE");
}

void require(bool fine, const char* option, const std::string& found, const char* expected) {
  if (!fine) throw InputError(option, fmt::format("found {}; expected {}", found, expected));
}

void check(const Options& options) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  require(options.batch_size >= 1, "--batch-size", number(options.batch_size), "at least 1");
  require(std::isfinite(options.mem_power_scale) && options.mem_power_scale >= 0,
          "--mem-power-scale", number(options.mem_power_scale), "a number of at least 0");
  require(options.gap >= 0 && options.gap < 1, "--gap", number(options.gap),
          "a number of at least 0 and below 1");
  require(std::isfinite(options.time_limit_seconds) && options.time_limit_seconds >= 0,
          "--time-limit-s", number(options.time_limit_seconds), "seconds, or 0 for no limit");
  require(options.threads >= 1 && options.threads <= 256, "--solve-threads",
          number(options.threads), "1 to 256");
}

}  // namespace

Parsed parse(int argc, const char* const* argv) {
  Parsed parsed;
  Options& options = parsed.options;
  CLI::App app(kDescription, "poet-solve");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("poet-solve ") + POET_VERSION);
  app.get_formatter()->column_width(34);
  add_problem_options(app, options);
  add_effort_options(app, options);
  add_output_options(app, options);
  add_general_options(app, options);
  CLI::App* verify = app.add_subcommand(
      "verify", "replay a schedule file against the rules; exit 0 if it is valid, else 2");
  verify->add_option("file", options.schedule_file, "a schedule file, or - for stdin")->required();
  const CLI::App* plot = add_plot_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success);
    parsed.exit_now = true;
    return parsed;
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{} (--help shows every option)", error.what()));
  }
  apply_effort(app, options);
  options.verify = verify->parsed();
  options.plot = plot->parsed();
  check(options);
  return parsed;
}

std::string find_output(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--output";
  for (int a = 1; a < argc; ++a) {
    const std::string_view word = argv[a];
    if (word == kOption && a + 1 < argc) return argv[a + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      return std::string(word.substr(kOption.size() + 1));
    }
  }
  return {};
}

bool find_compact(int argc, const char* const* argv) {
  return std::find(argv + 1, argv + argc, std::string_view("--compact")) != argv + argc;
}

}  // namespace poet::cli
