#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "poet/graph.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// What a schedule file, and the document of a solve without a schedule, calls itself.
inline constexpr std::string_view kScheduleFormat = "poet-schedule";
inline constexpr std::int64_t kNewestScheduleVersion = 2;

/// What a solve left behind: a schedule file, or a document with the reason why it found none.
struct SolveDocument {
  std::optional<ScheduleFile> file;
  ExitCode code = ExitCode::ok;
  Status status = Status::unknown;  ///< unknown as well if an error document has none
  std::string error;
  /// What a document without a schedule is about; absent in documents of older versions.
  std::optional<ProblemInfo> problem;
};

/// Reads either; `source` is named in errors. Throws InputError for anything malformed.
SolveDocument parse_solve_document(std::string_view text, const std::string& source);

/// Whether a text is a schedule file, and not a document without a schedule; what a later version
/// may have added does not matter. Throws InputError for text other than JSON.
bool holds_schedule(std::string_view text, const std::string& source);

/// Whether a text is a draft: it has stages, and not the figures that a replay finds out. Throws
/// InputError for text other than JSON.
bool is_draft(std::string_view text, const std::string& source);

/// Makes the graph of a draft without `nodes` from what the draft says besides.
using GraphOfDraft = std::function<Graph(const ScheduleFile&)>;

/// Reads a schedule file of which only `format`, `version`, `nodes` and `stages` have to be there,
/// and `nodes` only if there is no `graph_of`. Stages name nodes by index or by name, and may leave
/// out lists that are empty. What only a replay or a solve can state is not looked at, and stays as
/// in make_draft(). Throws InputError for anything malformed; `source` is named, and names the
/// model if nothing else does.
ScheduleFile parse_schedule_draft(std::string_view text, const std::string& source,
                                  const GraphOfDraft& graph_of);

}  // namespace poet
