#pragma once

#include <functional>
#include <string>

#include "app/options.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// How a command ends: the exit status, and the document if there is one.
struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string document{};  ///< empty: none
  std::string output{};    ///< the file that the document goes to; empty: stdout
  /// The result of a search. If `output` fails, it goes to stdout rather than be lost.
  bool costly = false;
  /// About a run without a schedule. It does not replace a schedule in `output`.
  bool no_schedule = false;
  std::function<void()> delivered{};  ///< called when the document is in place
};

/// Fills in `problem` as it reads it, so that the document of a failure can state it.
Outcome run_solve(const Options& options, ProblemInfo& problem);
/// Likewise.
Outcome run_import_solution(const Options& options, ProblemInfo& problem);
/// Likewise.
Outcome run_info(const Options& options, ProblemInfo& problem);
Outcome run_import(const Options& options);
Outcome run_verify(const Options& options);
Outcome run_plot(const Options& options);
Outcome run_simulate(const Options& options);
Outcome run_place(const Options& options);
Outcome run_run(const Options& options);
Outcome run_export(const Options& options);
Outcome run_fit(const Options& options);
Outcome run_sweep_command(const Options& options);
/// Of `baselines`, and of `sweep --baselines`.
Outcome run_baselines_command(const Options& options);
Outcome run_compare(const Options& options);
Outcome run_list(const Options& options);

/// The end of a run without a schedule: a line on stderr that names the problem, and a document.
Outcome without_schedule(ExitCode code, std::string_view status, const std::string& reason,
                         const Options& options, const ProblemInfo& problem);

/// The end of a failed run: a message on stderr, and the same in a document if the command leaves
/// one.
Outcome failure(ExitCode code, const std::string& message, const Options& options,
                const ProblemInfo& problem);

/// Puts the document where it belongs and returns the exit status. A destination that fails is an
/// error of its own; its document goes to stdout.
ExitCode deliver(const Outcome& outcome, const Options& options, const ProblemInfo& problem);

}  // namespace poet::cli
