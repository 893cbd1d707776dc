// How documents leave the program. Two rules follow from losses. A disk that filled up during hours
// of search took the schedule along, so a result goes to stdout if its file cannot be written. A
// failed run replaced the schedule of an earlier one, so a document without a schedule leaves such
// a file alone, unless --replace says otherwise. A terminal gets no JSON: hundreds of lines of it
// pushed the result out of sight.

#include "app/terminal/deliver.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "sweep/rows.hpp"

namespace poet::cli {
namespace {

/// SIGPIPE is ignored until here, so that a reader of the log who goes away ends no solve. Now it
/// may end the program, as of any other program in a pipe.
ExitCode write_to_stdout(const std::string& document, ExitCode code) {
  if (document.empty()) return code;
  end_with_reader();
  bool written = write_fully(STDOUT_FILENO, document);
  // Some file systems tell only now that there is no room. What is no file cannot be asked.
  if (written && ::fsync(STDOUT_FILENO) != 0) {
    written = errno != EIO && errno != ENOSPC && errno != EDQUOT;
  }
  if (written) return code;
  spdlog::error("cannot write to stdout: {}", std::strerror(errno));
  return ExitCode::usage;
}

bool shown_to_people(const std::string& output) {
  return output.empty() && ::isatty(STDOUT_FILENO) == 1;
}

/// schedule.json in this folder, or the first of schedule-2.json, schedule-3.json, ... that is
/// free.
std::string free_name() {
  std::string name = "schedule.json";
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(name, ignored); ++number) {
    name = fmt::format("schedule-{}.json", number);
  }
  return name;
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

ExitCode deliver(const std::string& document, const std::string& output, ExitCode code) {
  if (output.empty()) return write_to_stdout(document, code);
  try {
    write_file(output, document);
  } catch (const InputError& error) {
    throw in_place("--output", error);
  }
  return code;
}

ExitCode deliver_result(const std::string& document, const std::string& output, ExitCode code) {
  try {
    return deliver(document, output, code);
  } catch (const InputError& error) {
    spdlog::error("{}; the result goes to stdout instead", error.what());
    write_to_stdout(document, code);
    return ExitCode::usage;
  }
}

ExitCode deliver_schedule(const std::string& document, const Destination& to, ExitCode code) {
  if (!shown_to_people(to.output)) return deliver_result(document, to.output, code);
  const std::string name = free_name();
  const ExitCode written = deliver_result(document, name, code);
  if (written != code) return written;
  return write_to_stdout(fmt::format("the schedule is in {}; --output FILE names it\n", name),
                         code);
}

/// If a file keeps its schedule, the document goes to stdout: a script that waits for one can still
/// read why no schedule was found.
ExitCode deliver_no_schedule(ExitCode code, std::string_view status, const std::string& reason,
                             const std::optional<Destination>& to, const ProblemInfo& problem) {
  const std::string name = problem_name(problem);
  const std::string what = status == "error" ? std::string() : fmt::format("{}: ", status);
  // A file may have more than one error, each on a line of its own.
  std::istringstream lines(reason);
  for (std::string line; std::getline(lines, line);) {
    spdlog::error("{}{}{}{}", name, name.empty() ? "" : ": ", what, line);
  }
  if (code == ExitCode::infeasible) {
    spdlog::info("docs/infeasible.md shows what helps, and 'poet-solve advise' tries it");
  }
  if (!to || shown_to_people(to->output)) return code;
  const std::string document = error_json(code, status, reason, problem, to->compact);
  if (to->output.empty()) return write_to_stdout(document, code);
  if (!to->replace && has_schedule(to->output)) {
    spdlog::warn("--output: {} holds a schedule and is left as it is; --replace would replace it",
                 printable(to->output, 400));
    return write_to_stdout(document, code);
  }
  try {
    return deliver(document, to->output, code);
  } catch (const InputError& error) {
    // A failed run has reported its error already; often it is this very file that was refused.
    const bool reported = code == ExitCode::usage || code == ExitCode::internal;
    if (reported) return write_to_stdout(document, code);
    return deliver_failure(ExitCode::usage, error.what(), Destination{.compact = to->compact},
                           problem);
  }
}

ExitCode deliver_failure(ExitCode code, const std::string& message,
                         const std::optional<Destination>& to, const ProblemInfo& problem) {
  return deliver_no_schedule(code, "error", message, to, problem);
}

}  // namespace poet::cli
