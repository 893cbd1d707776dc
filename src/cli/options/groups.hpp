#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace poet::cli {

// Groups of options that any command can have. Values are not interpreted here.

/// --model, --platform, --ram-budget, --runtime-budget: one problem.
void add_problem_options(CLI::App& app, Options& options);
/// --batch-size, --mem-power-scale: what costs depend on besides.
void add_cost_options(CLI::App& app, Options& options);
/// --paging, --remat and their opposites.
void add_technique_switches(CLI::App& app, Options& options);
/// --effort, --gap, --time-limit-s, ...; `what` is what the time limit covers.
void add_effort_options(CLI::App& app, Options& options, const char* what);
/// What --effort means for options that the command line of `app` leaves at their defaults.
void apply_effort(const CLI::App& app, Options& options);
/// --output, --compact and the files of a single solve.
void add_output_options(CLI::App& app, Options& options);
/// --list-models, --list-platforms, --json.
void add_list_options(CLI::App& app, Options& options);
/// --completion, --man: what this program can say of itself to others.
void add_reference_options(CLI::App& app, Options& options);
/// --quiet, --verbose, --log-file.
void add_manners(CLI::App& app, Options& options);

// The commands besides the single solve.

CLI::App* add_verify(CLI::App& app, Options& options);
CLI::App* add_plot(CLI::App& app, Options& options);
CLI::App* add_sweep(CLI::App& app, Options& options);
CLI::App* add_compare(CLI::App& app, Options& options);

/// Throws InputError for a number out of its range, with the option's name.
void check_ranges(const Options& options);

}  // namespace poet::cli
