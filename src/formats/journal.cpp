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

constexpr std::int64_t kVersion = 1;

SweepRequest read_request(const JsonCursor& at) {
  SweepRequest request;
  const auto read = [&](std::string_view key, auto member) {
    read_value(at.required(key), request.*member);
  };
  visit_asked(read);
  visit_written(read);
  return request;
}

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

/// The members of a table, whatever other keys there are: a later version may write more of them.
template <typename Struct>
Struct read_known(const JsonCursor& at) {
  Struct object;
  read_fields(at, object, kFields<Struct>);
  return object;
}

std::string one_line(const Json& json) {
  std::string line = json_write(json, true);
  line.pop_back();
  return line;
}

/// Reads one line about a task or a point.
void read_line(const JsonCursor& at, JournalContents& contents) {
  const auto number = [&](std::string_view key) { return read_struct<int>(at.required(key)); };
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
  Json json = {{"format", kJournalFormat}, {"version", kVersion}, {"request", Json::object()}};
  const auto write = [&](const char* key, auto member) { json["request"][key] = request.*member; };
  visit_asked(write);
  visit_written(write);
  return one_line(json);
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

JournalContents read_journal(const std::vector<std::string>& lines, const std::string& source) {
  if (lines.empty()) throw InputError(source, "found an empty journal; expected its first line");
  JournalContents contents;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const std::string place = fmt::format("{} line {}", source, l + 1);
    const nlohmann::json document = parse_json(lines[l], place);
    const JsonCursor at(document, place);
    if (l == 0) {
      expect_format(at, kJournalFormat, kVersion);
      contents.request = read_request(at.required("request"));
    } else {
      read_line(at, contents);
    }
  }
  return contents;
}

std::string request_difference(const SweepRequest& found, const SweepRequest& expected) {
  std::string difference;
  visit_asked([&](std::string_view key, auto member) {
    if (!difference.empty() || found.*member == expected.*member) return;
    difference = printable(
        fmt::format("{}: found '{}', expected '{}'", key, found.*member, expected.*member), 400);
  });
  return difference;
}

}  // namespace poet
