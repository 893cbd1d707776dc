#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "poet/report.hpp"

namespace poet {

/// What a solve left behind: a schedule file, or a document that says why there is none.
struct SolveDocument {
  std::optional<Report> report;
  ExitCode code = ExitCode::ok;
  Status status = Status::unknown;  ///< of an error document that tells no status: unknown
  std::string error;
};

/// Reads either; `source` is named in errors. Throws InputError for anything malformed.
SolveDocument parse_solve_document(std::string_view text, const std::string& source);

}  // namespace poet
