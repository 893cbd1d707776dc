#pragma once

#include <cstddef>
#include <string>

#include "sweep/compare.hpp"

namespace poet {

/// A large sweep is larger than other files of ours.
inline constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;

/// What a file with results seems to be.
enum class ResultKind {
  schedule,  ///< or none of the others: the reader of schedules reports best what is wrong
  sweep,
  min_ram,
  baselines,
  journal,  ///< FILE.partial of a sweep
  table,    ///< what a sweep writes as CSV
};

/// Judges by the content alone, and by no more of it than the first line; reading checks the rest.
ResultKind result_kind(const std::string& text);

/// Throws InputError for a result without schedules or their figures: only a schedule file and the
/// lines of a sweep pass. `source` is named.
void require_schedules(ResultKind kind, const std::string& source);

/// Where the schedule file of a row is, as seen from the folder of the sweep's result; stdin is in
/// the working directory.
std::string schedule_path(const std::string& result, const SweepRow& row);

/// Reads a schedule file, or the JSON lines of a sweep, recognised by content; `path` may be - for
/// stdin. With `replay`, every schedule that is there is replayed: the schedule of a schedule file,
/// and the ones that a sweep's rows name, as seen from its folder. Throws InputError for anything
/// malformed.
ComparedResult read_compared(const std::string& path, bool replay);

}  // namespace poet
