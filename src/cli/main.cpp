#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/log.hpp"
#include "cli/options.hpp"
#include "cli/surroundings.hpp"
#include "io/files/write_file.hpp"
#include "poet/error.hpp"

namespace {

using poet::ExitCode;
using poet::cli::Command;
using poet::cli::Destination;
using poet::cli::Options;
using poet::cli::Outcome;

Outcome run(const Options& options) {
  poet::cli::start_log(options);
  switch (options.command) {
    case Command::verify:
      return poet::cli::run_verify(options);
    case Command::plot:
      return poet::cli::run_plot(options);
    case Command::sweep:
      return poet::cli::run_sweep_command(options);
    case Command::compare:
      return poet::cli::run_compare(options);
    case Command::solve:
      break;
  }
  if (options.list_models || options.list_platforms) return poet::cli::run_list(options);
  return poet::cli::run_solve(options);
}

/// The document of a failed run, and the same message for people.
Outcome failure(ExitCode code, const std::string& message, const Destination& destination) {
  spdlog::error("{}", message);
  if (!destination.errors) return {code, {}};
  return {code, poet::error_json(code, "error", message, destination.compact)};
}

Outcome run_caught(int argc, char** argv, const Destination& destination, bool& help) {
  try {
    const poet::cli::Parsed parsed = poet::cli::parse(argc, argv);
    help = parsed.exit_now;
    if (help || !parsed.document.empty()) return {.document = parsed.document};
    return run(parsed.options);
  } catch (const poet::cli::MisplacedOption& error) {
    return failure(ExitCode::usage, error.what(), {.errors = false});
  } catch (const poet::InputError& error) {
    return failure(ExitCode::usage, error.what(), destination);
  } catch (const std::bad_alloc&) {
    return failure(ExitCode::internal, "out of memory", destination);
  } catch (const std::exception& error) {
    return failure(ExitCode::internal, fmt::format("internal error: {}", error.what()),
                   destination);
  }
}

/// Delivers the document; a destination that fails is an error of its own, told on stdout. Only
/// what has cost a search goes to stdout itself then.
ExitCode deliver(const Outcome& outcome, Destination destination) {
  if (outcome.document.empty()) return outcome.code;
  if (!destination.output.empty()) {
    try {
      poet::write_file(destination.output, outcome.document);
      return outcome.code;
    } catch (const poet::InputError& error) {
      // A failed run has been explained already; often it is this very file that was refused.
      const bool explained = outcome.code == ExitCode::usage || outcome.code == ExitCode::internal;
      const std::string message = fmt::format("--output: {}", error.what());
      destination.output.clear();
      if (outcome.costly) {
        spdlog::error("{}; the schedule goes to stdout instead", message);
        deliver(outcome, destination);
        return ExitCode::usage;
      }
      return deliver(explained ? outcome : failure(ExitCode::usage, message, destination),
                     destination);
    }
  }
  poet::cli::end_with_reader();
  const std::string& text = outcome.document;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return outcome.code;
  spdlog::error("cannot write to stdout: {}", std::strerror(errno));
  return ExitCode::usage;
}

}  // namespace

int main(int argc, char** argv) {
  poet::cli::secure_surroundings();
  poet::cli::start_log({});
  const Destination destination = poet::cli::find_destination(argc, argv);
  bool help = false;
  const Outcome outcome = run_caught(argc, argv, destination, help);
  if (help) return 0;
  const ExitCode code = deliver(outcome, destination);
  spdlog::shutdown();
  return static_cast<int>(code);
}
