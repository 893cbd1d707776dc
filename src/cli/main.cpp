#include <spdlog/spdlog.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/log.hpp"
#include "cli/options.hpp"
#include "io/files.hpp"
#include "poet/error.hpp"

namespace {

using poet::ExitCode;
using poet::cli::Options;
using poet::cli::Outcome;

Outcome run(const Options& options) {
  poet::cli::start_log(options);
  if (options.plot) return poet::cli::run_plot(options);
  if (options.verify) return poet::cli::run_verify(options);
  if (options.list_models || options.list_platforms) return poet::cli::run_list(options);
  return poet::cli::run_solve(options);
}

/// What the command line says of the document of a failed run, whatever else is wrong with it.
struct FailureStyle {
  bool compact = false;
  bool none = false;  ///< JSON has no place where a picture was asked for
};

/// The document of a failed run, and the same message for people.
Outcome failure(ExitCode code, const std::string& message, FailureStyle style) {
  spdlog::error("{}", message);
  if (style.none) return {code, {}};
  return {code, poet::error_json(code, "error", message, style.compact)};
}

Outcome run_caught(int argc, char** argv, FailureStyle style, bool& help) {
  try {
    const poet::cli::Parsed parsed = poet::cli::parse(argc, argv);
    help = parsed.exit_now;
    return help ? Outcome{} : run(parsed.options);
  } catch (const poet::InputError& error) {
    return failure(ExitCode::usage, error.what(), style);
  } catch (const std::bad_alloc&) {
    return failure(ExitCode::internal, "out of memory", style);
  } catch (const std::exception& error) {
    return failure(ExitCode::internal, fmt::format("internal error: {}", error.what()), style);
  }
}

/// Delivers the document; a destination that fails is an error of its own, told on stdout.
ExitCode deliver(const Outcome& outcome, const std::string& output, FailureStyle style) {
  if (outcome.document.empty()) return outcome.code;
  if (!output.empty()) {
    try {
      poet::write_file(output, outcome.document);
      return outcome.code;
    } catch (const poet::InputError& error) {
      // A failed run has been explained already; often it is this very file that was refused.
      const bool explained = outcome.code == ExitCode::usage || outcome.code == ExitCode::internal;
      const std::string message = fmt::format("--output: {}", error.what());
      return deliver(explained ? outcome : failure(ExitCode::usage, message, style), {}, style);
    }
  }
  const std::string& text = outcome.document;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return outcome.code;
  spdlog::error("cannot write to stdout");
  return ExitCode::usage;
}

}  // namespace

int main(int argc, char** argv) {
  poet::cli::start_log({});
  bool help = false;
  const FailureStyle style{.compact = poet::cli::find_compact(argc, argv),
                           .none = poet::cli::find_plot(argc, argv)};
  const Outcome outcome = run_caught(argc, argv, style, help);
  if (help) return 0;
  const ExitCode code = deliver(outcome, poet::cli::find_output(argc, argv), style);
  spdlog::shutdown();
  return static_cast<int>(code);
}
