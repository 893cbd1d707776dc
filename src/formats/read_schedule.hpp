#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "poet/schedule_file.hpp"

namespace poet {

/// What a schedule file, and the document of a solve without a schedule, calls itself.
inline constexpr std::string_view kScheduleFormat = "poet-schedule";
inline constexpr std::int64_t kNewestScheduleVersion = 2;

/// What a solve left behind: a schedule file, or a document with the reason why there is none.
struct SolveDocument {
  std::optional<ScheduleFile> report;
  ExitCode code = ExitCode::ok;
  Status status = Status::unknown;  ///< unknown as well if an error document has none
  std::string error;
  /// What a document without a schedule is about; absent in documents of older versions.
  std::optional<ProblemInfo> problem;
};

/// Reads either; `source` is named in errors. Throws InputError for anything malformed.
SolveDocument parse_solve_document(std::string_view text, const std::string& source);

/// Whether a text is a schedule file, and not a document without a schedule; what a later version
/// may have added does not matter. Throws InputError for what is no JSON.
bool holds_schedule(std::string_view text, const std::string& source);

}  // namespace poet
