#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/process_setup.hpp"
#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

ExitCode write_to_stdout(const Outcome& outcome) {
  if (outcome.document.empty()) return outcome.code;
  end_with_reader();
  const std::string& text = outcome.document;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return outcome.code;
  spdlog::error("cannot write to stdout: {}", std::strerror(errno));
  return ExitCode::usage;
}

}  // namespace

Outcome failure(ExitCode code, const std::string& message, const Options& options,
                const ProblemInfo& problem) {
  // A file may have more than one error, each on a line of its own.
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) spdlog::error("{}", line);
  if (!options.error_document) return {.code = code};
  return {.code = code,
          .document = error_json(code, "error", message, problem, options.compact),
          .output = options.output};
}

ExitCode deliver(const Outcome& outcome, const Options& options, const ProblemInfo& problem) {
  if (outcome.document.empty() || outcome.output.empty()) return write_to_stdout(outcome);
  try {
    write_file(outcome.output, outcome.document);
    if (outcome.delivered) outcome.delivered();
    return outcome.code;
  } catch (const InputError& error) {
    const std::string message = fmt::format("--output: {}", error.what());
    if (outcome.costly) {
      spdlog::error("{}; the schedule goes to stdout instead", message);
      write_to_stdout(outcome);
      return ExitCode::usage;
    }
    // A failed run has reported its error already; often it is this very file that was refused.
    const bool reported = !outcome.delivered &&
                          (outcome.code == ExitCode::usage || outcome.code == ExitCode::internal);
    return write_to_stdout(reported ? outcome
                                    : failure(ExitCode::usage, message, options, problem));
  }
}

}  // namespace poet::cli
