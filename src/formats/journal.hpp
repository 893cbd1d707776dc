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

/// Which program found something, and about which graph. Unknown digests are empty; older journals
/// have none.
struct Provenance {
  std::string program_sha256;
  std::string graph_sha256;

  /// An unknown program is nobody's, and so is an unknown graph.
  bool same_program(const Provenance& other) const {
    return !program_sha256.empty() && program_sha256 == other.program_sha256;
  }
  bool same_graph(const Provenance& other) const {
    return !graph_sha256.empty() && graph_sha256 == other.graph_sha256;
  }
};

/// What the journal of a sweep holds: the request in its first line, then a line for each thing
/// that was finished, in the order of finishing. Of two lines about the same thing the later one
/// counts. A line with another request means that the sweep went on with other settings, and one
/// with a digest that its result was written.
struct JournalContents {
  struct Task {
    Provenance from;
    MinRam found;
    bool reopened = false;  ///< found with earlier settings: it stays if it is proven
  };
  struct Point {
    Provenance from;
    Bytes ram_budget_bytes = 0;
    SweepOutcome outcome;
    bool reopened = false;  ///< likewise
  };
  SweepRequest request;
  std::map<int, Task> min_rams;  ///< by task
  std::map<int, Point> points;   ///< by point
  std::string result_sha256{};   ///< of the text of the last result; empty without one

  /// The sweep goes on with these settings.
  void go_on_with(const SweepRequest& changed);
};

/// Its lines, without their ends.
std::string journal_head(const SweepRequest& request);
std::string journal_change(const SweepRequest& request);
std::string journal_end(const std::string& result_sha256);
std::string journal_line(int task, const Provenance& from, const MinRam& found);
std::string journal_line(int point, const Provenance& from, Bytes ram_budget_bytes,
                         const SweepOutcome& outcome);

/// Reads its lines; `source` is named in errors. Throws InputError, with the line, for anything
/// malformed and for a journal without its first line.
JournalContents read_journal(const std::vector<std::string>& lines, const std::string& source);

/// `gap: found '0.01', expected '0.0001'`, about the first thing that results depend on in which a
/// request differs from the one that is expected; empty if all agree.
std::string request_difference(const SweepRequest& found, const SweepRequest& expected);

}  // namespace poet
