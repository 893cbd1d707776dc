#include <string_view>

#include <fmt/format.h>

#include "cli/options/groups.hpp"
#include "cli/options/help_format.hpp"
#include "cli/options/misplaced.hpp"
#include "cli/reference/completion.hpp"
#include "cli/reference/man_page.hpp"
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
    "  poet-solve sweep --help, poet-solve compare --help\n"
    "      Whole curves of budgets at once; what changed between two results.\n"
    "\n"
    "Exit status: 0 schedule written; 1 internal error or crash; 2 bad usage or input;\n"
    "3 proven infeasible; 4 limit reached before any schedule; 5 --require-optimal not met;\n"
    "130 interrupted.";

/// The subcommands, as CLI11 knows them.
struct Commands {
  CLI::App* verify = nullptr;
  CLI::App* plot = nullptr;
  CLI::App* sweep = nullptr;
  CLI::App* compare = nullptr;
};

Commands add_everything(CLI::App& app, Options& options) {
  add_problem_options(app, options);
  add_cost_options(app, options);
  add_technique_switches(app, options);
  add_effort_options(app, options, "everything");
  add_output_options(app, options);
  add_list_options(app, options);
  add_reference_options(app, options);
  add_manners(app, options);
  return {.verify = add_verify(app, options),
          .plot = add_plot(app, options),
          .sweep = add_sweep(app, options),
          .compare = add_compare(app, options)};
}

Command command_of(const Commands& commands) {
  if (commands.verify->parsed()) return Command::verify;
  if (commands.plot->parsed()) return Command::plot;
  if (commands.sweep->parsed()) return Command::sweep;
  if (commands.compare->parsed()) return Command::compare;
  return Command::solve;
}

/// The first word of the command line that is neither one of our manners nor its value.
std::string_view first_word(int argc, const char* const* argv) {
  for (int a = 1; a < argc; ++a) {
    const std::string_view word = argv[a];
    if (word == "--log-file") {
      ++a;
    } else if (word != "-q" && word != "--quiet" && word != "-v" && word != "--verbose" &&
               !word.starts_with("--log-file=")) {
      return word;
    }
  }
  return {};
}

}  // namespace

CLI::App* add_verify(CLI::App& app, Options& options) {
  CLI::App* verify = app.add_subcommand(
      "verify", "replay a schedule file against the rules; exit 0 if it is valid, else 2");
  verify->footer("");  // else it would be that of the whole program
  verify->add_option("file", options.schedule_file, "a schedule file, or - for stdin")
      ->required()
      ->type_name("FILE");
  add_manners(*verify, options);
  return verify;
}

Parsed parse(int argc, const char* const* argv) {
  Parsed parsed;
  Options& options = parsed.options;
  options.program = argv[0];
  CLI::App app(kDescription, "poet-solve");
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "show this text");
  app.set_version_flag("--version", std::string("poet-solve ") + POET_VERSION, "show the version");
  app.formatter(std::make_shared<HelpFormat>());
  const Commands commands = add_everything(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    app.exit(success);
    parsed.exit_now = true;
    return parsed;
  } catch (const CLI::ExtrasError&) {
    refuse_lost_options(app);
    refuse_unexpected(app);
  } catch (const CLI::ParseError& error) {
    refuse_lost_options(app);
    throw InputError(fmt::format("{} (--help shows every option)", error.what()));
  }
  options.command = command_of(commands);
  refuse_lost_options(app);
  if (!options.completion.empty()) {
    parsed.document = completion_script(command_table(app), options.completion);
  } else if (options.man) {
    parsed.document = man_page(command_table(app));
  }
  apply_effort(options.command == Command::sweep ? *commands.sweep : app, options);
  check_ranges(options);
  return parsed;
}

Destination find_destination(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--output";
  const std::string_view command = first_word(argc, argv);
  // These take care of --output themselves.
  const bool own_output = command == "sweep" || command == "compare";
  Destination destination{.errors = !own_output && command != "plot"};
  for (int a = 1; a < argc; ++a) {
    const std::string_view word = argv[a];
    if (word == "--compact") destination.compact = true;
    if (own_output || !destination.output.empty()) continue;
    if (word == kOption && a + 1 < argc) {
      destination.output = argv[a + 1];
    } else if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      destination.output = word.substr(kOption.size() + 1);
    }
  }
  return destination;
}

}  // namespace poet::cli
