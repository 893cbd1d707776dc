#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/printable.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

SweepRow row(const JsonCursor& at) {
  expect_format(at, kSweepFormat, 1);
  std::vector<std::string_view> keys{"format", "version"};
  append_keys(keys, kFields<SweepRow>);
  keys.push_back("timing");
  at.allow_only(keys);
  SweepRow result;
  read_fields(at, result, kFields<SweepRow>);
  read_value(at.required("timing").required("wall_seconds"), result.wall_seconds);
  const bool has_schedule =
      result.status == SweepRow::Status::optimal || result.status == SweepRow::Status::feasible;
  if (has_schedule != result.summary.has_value()) {
    at.required("energy_joules")
        .fail_expecting(has_schedule ? "a number: there is a schedule"
                                     : "null: there is no schedule");
  }
  return result;
}

}  // namespace

std::vector<SweepRow> parse_sweep(std::string_view lines, const std::string& source) {
  std::vector<SweepRow> rows;
  const std::string file = shown_source(source);
  for (int number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = fmt::format("{} line {}", file, number);
    const nlohmann::json document = parse_json(line, place);
    rows.push_back(row(JsonCursor(document, place)));
  }
  if (rows.empty()) throw InputError(file, "found no points; expected a line for each");
  return rows;
}

}  // namespace poet
