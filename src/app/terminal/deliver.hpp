#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/exit_code.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Where a document goes, and how.
struct Destination {
  std::string output;    ///< empty: stdout
  bool replace = false;  ///< a document without a schedule may replace one in `output`
  bool compact = false;  ///< on one line
};

/// Writes a document, whole or not at all, and returns `code`. Throws InputError if `output`, which
/// is stdout if empty, cannot be written. If stdout fails, that is logged and the status is
/// another.
ExitCode deliver(const std::string& document, const std::string& output,
                 ExitCode code = ExitCode::ok);

/// The same for the result of a search: if `output` fails, it goes to stdout rather than be lost.
ExitCode deliver_result(const std::string& document, const std::string& output, ExitCode code);

/// The same for a schedule. On a terminal, it goes to schedule.json in this folder, or to another
/// name that is free, and a line says so.
ExitCode deliver_schedule(const std::string& document, const Destination& to, ExitCode code);

/// The end of a run without a schedule: a line on stderr that names the problem, and a document.
/// The document does not replace a schedule, unless that is asked for. Without a destination, or
/// with a terminal as destination, there is no document.
ExitCode deliver_no_schedule(ExitCode code, std::string_view status, const std::string& reason,
                             const std::optional<Destination>& to, const ProblemInfo& problem);

/// The end of a failed run: the same with the status `error`.
ExitCode deliver_failure(ExitCode code, const std::string& message,
                         const std::optional<Destination>& to, const ProblemInfo& problem);

}  // namespace poet::cli
