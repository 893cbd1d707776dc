#pragma once

#include "app/options.hpp"
#include "app/options/option_group.hpp"

namespace poet::cli {

/// A command as the parser knows it.
struct CommandSyntax {
  Command command;
  const char* name;
  const char* summary;  ///< in the list of commands
  const char* footer;   ///< how --help ends
  void (*add_options)(CLI::App& app, Options& options);
  bool error_document;  ///< see Options
};

extern const CommandSyntax kSolveSyntax;
extern const CommandSyntax kImportSolutionSyntax;
extern const CommandSyntax kImportSyntax;
extern const CommandSyntax kInfoSyntax;
extern const CommandSyntax kSweepSyntax;
extern const CommandSyntax kBaselinesSyntax;
extern const CommandSyntax kPlotSyntax;
extern const CommandSyntax kVerifySyntax;
extern const CommandSyntax kSimulateSyntax;
extern const CommandSyntax kPlaceSyntax;
extern const CommandSyntax kRunSyntax;
extern const CommandSyntax kExportSyntax;
extern const CommandSyntax kFitSyntax;
extern const CommandSyntax kCompareSyntax;

// Headings of --help.
inline constexpr const char* kWhatToSolve = "What to solve";
inline constexpr const char* kHowHard = "How hard to try";
inline constexpr const char* kHowToRun = "How to run it";
inline constexpr const char* kWhatToWrite = "What to write";

/// --quiet, --verbose, --log-file: every command has them, and they may precede its name.
void add_common_options(CLI::App& app, Options& options);
/// --batch-size, --backward and --alignment, under a heading.
void add_model_options(CLI::App& app, Options& options, const char* heading);
/// --loss, --trainable, --custom and --shape of ONNX networks, under a heading.
void add_network_options(CLI::App& app, Options& options, const char* heading);
/// --model, --platform, the budgets and the techniques.
void add_problem_options(CLI::App& app, Options& options);
/// --batch-size, --mem-power-scale and --gap: what a schedule that is not searched for needs.
void add_settings_without_search(CLI::App& app, Options& options);
/// --objective, which only a solve has: the points of a sweep share bounds of the energy.
void add_objective(CLI::App& app, SolveSettings& settings);
/// --batch-size, --effort and whatever else changes results, for a solve and a sweep.
void add_setting_options(CLI::App& app, Options& options);
/// Completes the settings after a parse: --effort proof changes the defaults of other options.
/// Returns the options that a resumed sweep may change, as far as they are given or changed so.
std::vector<std::string> apply_effort(const CLI::App& app, SolveSettings& settings);

}  // namespace poet::cli
