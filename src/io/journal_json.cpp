#include "io/journal_json.hpp"

#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/json/json_cursor.hpp"
#include "io/json/json_layout.hpp"
#include "io/json/json_text.hpp"
#include "io/outcome_json.hpp"
#include "io/text/shown.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kVersion = 1;

void read_member(const JsonCursor& at, std::string& value) {
  value = at.string();
}
void read_member(const JsonCursor& at, bool& value) {
  value = at.boolean();
}
void read_member(const JsonCursor& at, double& value) {
  value = at.number();
}
template <typename Integer>
requires std::is_integral_v<Integer>
void read_member(const JsonCursor& at, Integer& value) {
  value = static_cast<Integer>(
      at.integer(0, std::min<std::int64_t>(kMaxBytes, std::numeric_limits<Integer>::max())));
}

SweepRequest read_request(const JsonCursor& at) {
  SweepRequest request;
  const auto read = [&](std::string_view key, auto member) {
    read_member(at.required(key), request.*member);
  };
  visit_asked(read);
  visit_written(read);
  return request;
}

void read_line(const JsonCursor& at, JournalContents& contents) {
  const auto number = [&](std::string_view key) {
    return static_cast<int>(at.required(key).integer(0, std::numeric_limits<int>::max()));
  };
  if (at.optional("min_ram")) {
    const int task = number("min_ram");
    contents.min_rams[task] = read_min_ram(at.required("found"));
    return;
  }
  const int point = number("point");
  contents.points[point] = {.ram_budget_bytes = at.required("ram_budget_bytes").integer(),
                            .outcome = read_outcome(at.required("outcome"))};
}

}  // namespace

std::string journal_head(const SweepRequest& request) {
  Json json = {{"format", kJournalFormat}, {"version", kVersion}, {"request", Json::object()}};
  const auto write = [&](const char* key, auto member) { json["request"][key] = request.*member; };
  visit_asked(write);
  visit_written(write);
  std::string line = lay_out(json, true);
  line.pop_back();
  return line;
}

std::string journal_line(int task, const MinRam& found) {
  return fmt::format(R"({{"min_ram":{},"found":{}}})", task, min_ram_json(found));
}

std::string journal_line(int point, Bytes ram_budget_bytes, const SweepOutcome& outcome) {
  return fmt::format(R"({{"point":{},"ram_budget_bytes":{},"outcome":{}}})", point,
                     ram_budget_bytes, outcome_json(outcome));
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
    difference = shown(
        fmt::format("{}: found '{}', expected '{}'", key, found.*member, expected.*member), 400);
  });
  return difference;
}

}  // namespace poet
