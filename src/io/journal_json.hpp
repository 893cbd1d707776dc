#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet {

/// What a journal's first line says it is.
inline constexpr std::string_view kJournalFormat = "poet-sweep-journal";

/// What the journal of a sweep holds: first the
/// request, then a line for each thing that was finished, in the order of finishing.
struct JournalContents {
  struct Point {
    Bytes ram_budget_bytes = 0;
    SweepOutcome outcome;
  };
  SweepRequest request;
  std::map<int, MinRam> min_rams;  ///< by task
  std::map<int, Point> points;     ///< by point
};

/// Its lines, without their ends.
std::string journal_head(const SweepRequest& request);
std::string journal_line(int task, const MinRam& found);
std::string journal_line(int point, Bytes ram_budget_bytes, const SweepOutcome& outcome);

/// Reads its lines; `source` is named in errors. Throws InputError, with the line, for anything
/// malformed and for a journal without its first line.
JournalContents read_journal(const std::vector<std::string>& lines, const std::string& source);

/// `gap: found '0.01', expected '0.0001'`, about the first thing that results depend on in which a
/// request differs from the one that is expected; empty where none does.
std::string request_difference(const SweepRequest& found, const SweepRequest& expected);

}  // namespace poet
