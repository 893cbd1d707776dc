#pragma once

#include <cstddef>
#include <string>

namespace poet {

/// A large sweep is larger than other files of ours.
inline constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;

/// What a file with results seems to be.
enum class ResultKind {
  schedule,  ///< also whatever is none of the others: its reader says best what is wrong
  sweep,
  min_ram,
  journal,  ///< FILE.partial of a sweep
  table,    ///< what a sweep writes as CSV
};

/// Judges by the content alone, and by no more of it than the first line; reading checks the rest.
ResultKind result_kind(const std::string& text);

}  // namespace poet
