// The lines of a sweep's journal. They are read more leniently than other files: another build may
// have written them, whose schedules still count as starts. A line is about one task or one point,
// so that a crash costs at most the line that was being written.
//
// Schedules stand in it in full, as four lists for each stage: keys would be most of the text.
// Budgets stand beside each point, since what `min` comes to may be another number in a later run.

#include "formats/journal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/printable.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "poet/error.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kJournalVersion = 1;

Provenance read_provenance(const JsonCursor& at) {
  Provenance from;
  if (const auto program = at.optional("program_sha256")) from.program_sha256 = program->string();
  if (const auto graph = at.optional("graph_sha256")) from.graph_sha256 = graph->string();
  return from;
}

/// Digests are digits and letters, so that they need no escapes.
std::string provenance_text(const Provenance& from) {
  return fmt::format(R"("program_sha256":"{}","graph_sha256":"{}")", from.program_sha256,
                     from.graph_sha256);
}

/// The members of a table. Other keys are ignored: a later version may write more of them.
template <typename Struct>
Struct read_known(const JsonCursor& at) {
  Struct object;
  read_fields(at, object, kFields<Struct>);
  return object;
}

/// The log of the journal ends lines by itself.
std::string one_line(const Json& json) {
  std::string line = json_write(json, true);
  line.pop_back();
  return line;
}

/// Reads one line about a task or a point.
void read_line(const JsonCursor& at, JournalContents& contents) {
  const auto number = [&](std::string_view key) { return read_struct<int>(at.required(key)); };
  if (const auto request = at.optional("request")) {
    contents.go_on_with(read_known<SweepRequest>(*request));
    return;
  }
  if (const auto result = at.optional("result_sha256")) {
    contents.result_sha256 = result->string();
    return;
  }
  if (at.optional("min_ram")) {
    const int task = number("min_ram");
    contents.min_rams[task] = {.from = read_provenance(at),
                               .found = read_known<MinRam>(at.required("found"))};
    return;
  }
  const int point = number("point");
  contents.points[point] = {.from = read_provenance(at),
                            .ram_budget_bytes = at.required("ram_budget_bytes").integer(),
                            .outcome = read_known<SweepOutcome>(at.required("outcome"))};
}

}  // namespace

std::string journal_head(const SweepRequest& request) {
  return one_line(
      {{"format", kJournalFormat}, {"version", kJournalVersion}, {"request", json_of(request)}});
}

std::string journal_change(const SweepRequest& request) {
  return one_line({{"request", json_of(request)}});
}

std::string journal_end(const std::string& result_sha256) {
  return one_line({{"result_sha256", result_sha256}});
}

std::string journal_line(int task, const Provenance& from, const MinRam& found) {
  return fmt::format(R"({{"min_ram":{},{},"found":{}}})", task, provenance_text(from),
                     one_line(json_of(found)));
}

std::string journal_line(int point, const Provenance& from, Bytes ram_budget_bytes,
                         const SweepOutcome& outcome) {
  return fmt::format(R"({{"point":{},{},"ram_budget_bytes":{},"outcome":{}}})", point,
                     provenance_text(from), ram_budget_bytes, one_line(json_of(outcome)));
}

void JournalContents::go_on_with(const SweepRequest& changed) {
  request = changed;
  for (auto& [task, known] : min_rams) known.reopened = true;
  for (auto& [point, known] : points) known.reopened = true;
}

// A journal that grows while a sweep runs is read once, before it goes on; later lines win over
// earlier.
JournalContents read_journal(const std::vector<std::string>& lines, const std::string& source) {
  if (lines.empty()) throw InputError(source, "found an empty journal; expected its first line");
  JournalContents contents;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string place = fmt::format("{} line {}", source, l + 1);
    const nlohmann::json document = parse_json(lines[l], place);
    const JsonCursor at(document, place);
    if (l == 0) {
      expect_format(at, kJournalFormat, kJournalVersion);
      const JsonCursor request = at.required("request");
      if (const auto rows = request.optional("continues")) {
        rows->fail_expecting(
            "no such key: an older version goes on with rows of a finished sweep; "
            "finish it with that, or remove the file to start anew");
      }
      contents.request = read_known<SweepRequest>(request);
    } else {
      read_line(at, contents);
    }
  }
  return contents;
}

/// Values are compared as typed values and shown as the command line would state them.
std::string request_difference(const SweepRequest& found, const SweepRequest& expected) {
  std::string difference;
  for_each_field(kAskedFields, [&](const auto& field) {
    const auto& is = field.of(found);
    const auto& wanted = field.of(expected);
    if (!difference.empty() || is == wanted) return;
    difference = printable(
        fmt::format("{}: found '{}', expected '{}'", field.key, text_of(is), text_of(wanted)), 400);
  });
  return difference;
}

}  // namespace poet
