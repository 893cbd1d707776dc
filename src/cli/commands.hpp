#pragma once

#include "cli/options.hpp"
#include "poet/report.hpp"

namespace poet::cli {

/// What a command wants the program to end with: the exit status, and the document for stdout or
/// --output (empty: none).
struct Outcome {
  ExitCode code = ExitCode::ok;
  std::string document;
  bool costly = false;  ///< the fruit of a search, not to be lost where --output fails
};

Outcome run_solve(const Options& options);
Outcome run_verify(const Options& options);
Outcome run_plot(const Options& options);
Outcome run_sweep_command(const Options& options);
Outcome run_compare(const Options& options);
Outcome run_list(const Options& options);

}  // namespace poet::cli
