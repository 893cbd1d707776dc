#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/process_setup.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "sweep/rows.hpp"

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

/// Whether a file is there with a schedule in it. A device or pipe holds nothing.
bool has_schedule(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    return holds_schedule(read_file(path), path);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

Outcome without_schedule(ExitCode code, std::string_view status, const std::string& reason,
                         const Options& options, const ProblemInfo& problem) {
  const std::string name = problem_name(problem);
  const std::string what = status == "error" ? std::string() : fmt::format("{}: ", status);
  // A file may have more than one error, each on a line of its own.
  std::istringstream lines(reason);
  for (std::string line; std::getline(lines, line);) {
    spdlog::error("{}{}{}{}", name, name.empty() ? "" : ": ", what, line);
  }
  if (code == ExitCode::infeasible) spdlog::info("docs/infeasible.md shows what helps");
  if (!options.error_document) return {.code = code};
  return {.code = code,
          .document = error_json(code, status, reason, problem, options.compact),
          .output = options.output,
          .no_schedule = true};
}

Outcome failure(ExitCode code, const std::string& message, const Options& options,
                const ProblemInfo& problem) {
  return without_schedule(code, "error", message, options, problem);
}

ExitCode deliver(const Outcome& outcome, const Options& options, const ProblemInfo& problem) {
  if (outcome.document.empty() || outcome.output.empty()) return write_to_stdout(outcome);
  if (outcome.no_schedule && !options.replace && has_schedule(outcome.output)) {
    spdlog::warn("--output: {} holds a schedule and is left as it is; --replace would replace it",
                 printable(outcome.output, 400));
    return write_to_stdout(outcome);
  }
  try {
    write_file(outcome.output, outcome.document);
    if (outcome.delivered) outcome.delivered();
    return outcome.code;
  } catch (const InputError& error) {
    const std::string message = fmt::format("--output: {}", error.what());
    if (outcome.costly) {
      spdlog::error("{}; the result goes to stdout instead", message);
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
