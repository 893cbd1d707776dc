// Files with results, for `plot`, `verify` and `compare`. They are recognised by their content, as
// their names are the user's. Any other file is left to the reader of schedule files, which reports
// best what is wrong.
//
// A row is checked for what it says about itself: figures of a schedule are there exactly if its
// status says that there is one. Rows are compared with each other and with their files in
// src/sweep.

#include "formats/read_results.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "baselines/fields.hpp"
#include "formats/journal.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/read_schedule.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

std::string_view first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find('\n'));
}

/// Each line of a sweep names its format, and the first line of a schedule file on several lines is
/// no JSON of its own. A broken line that names a format is a broken line of that format.
std::string format_of(std::string_view line) {
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  if (parsed.is_discarded()) {
    for (const std::string_view format :
         {kSweepFormat, kMinRamFormat, kBaselinesFormat, kJournalFormat}) {
      if (line.find(fmt::format("\"{}\"", format)) != std::string_view::npos) {
        return std::string(format);
      }
    }
  }
  const bool named = parsed.is_object() && parsed.contains("format");
  return named && parsed.at("format").is_string() ? parsed.at("format").get<std::string>() : "";
}

std::string fault_of(const ScheduleFile& file) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  return findings.empty() ? std::string() : "the schedule is not valid: " + findings.front();
}

/// What is wrong with the schedule that a row names.
std::string fault_of(const SweepRow& row, const std::string& path) {
  try {
    const SolveDocument document = parse_solve_document(read_file(path), path);
    if (!document.file) return fmt::format("'{}' holds no schedule", path);
    std::string fault = fault_of(*document.file);
    if (!fault.empty()) return fault;
    const std::string difference = row_difference(row, *document.file);
    return difference.empty() ? std::string() : fmt::format("'{}' {}", path, difference);
  } catch (const InputError& error) {
    return fmt::format("the schedule cannot be replayed: {}", error.what());
  }
}

ComparedResult read_sweep(const std::string& text, const std::string& path, bool replay_rows) {
  ComparedResult result{.is_sweep = true};
  for (SweepRow& row : parse_sweep(text, path)) {
    ComparedPoint point;
    if (replay_rows && row.summary && row.schedule_file) {
      point.fault = fault_of(row, schedule_path(path, row));
    }
    point.row = std::move(row);
    result.points.push_back(std::move(point));
  }
  return result;
}

// A document without a schedule is a point as well: that a solve found nothing is worth comparing.
ComparedResult read_schedule(const std::string& text, const std::string& path) {
  const SolveDocument document = parse_solve_document(text, path);
  if (document.file) {
    return {.points = {{.row = row_of(*document.file), .fault = fault_of(*document.file)}}};
  }
  const bool failed = document.code != ExitCode::infeasible && document.code != ExitCode::limit;
  return {
      .has_problem = false,
      .points = {{.row = {.status = failed ? SweepRow::Status::failed : row_status(document.status),
                          .reason = document.error}}}};
}

/// The reader of a row without a schedule passes over figures of one. They would be false.
void expect_no_figures(const JsonCursor& at, const SweepRow& row) {
  const nlohmann::ordered_json own = json_of(row);
  for (const std::string_view key : keys_of<Summary>()) {
    const std::string name(key);
    const auto figure = at.optional(name);
    const bool is_own = own.contains(name) && !own.at(name).is_null();
    if (figure && !figure->is_null() && !is_own) {
      figure->fail_expecting("null: there is no schedule");
    }
  }
}

/// A line of a result: `format`, `version` and `timing` stand around the fields of a row.
template <typename Row>
Row framed_row(const JsonCursor& at, std::string_view format) {
  expect_format(at, format, 1);
  std::vector<std::string_view> keys{"format", "version"};
  append_keys(keys, kFields<Row>);
  keys.push_back("timing");
  at.allow_only(keys);
  Row result;
  read_fields(at, result, kFields<Row>);
  read_value(at.required("timing").required("wall_seconds"), result.wall_seconds);
  return result;
}

SweepRow sweep_row(const JsonCursor& at) {
  SweepRow result = framed_row<SweepRow>(at, kSweepFormat);
  const bool has_schedule =
      result.status == SweepRow::Status::optimal || result.status == SweepRow::Status::feasible;
  if (has_schedule != result.summary.has_value()) {
    at.required("energy_joules")
        .fail_expecting(has_schedule ? "a number: there is a schedule"
                                     : "null: there is no schedule");
  }
  if (!has_schedule) expect_no_figures(at, result);
  return result;
}

BaselineRow baseline_row(const JsonCursor& at) {
  BaselineRow result = framed_row<BaselineRow>(at, kBaselinesFormat);
  if (result.status == BaselineRow::Status::feasible && !result.summary) {
    at.required("energy_joules").fail_expecting("a number: there is a schedule");
  }
  return result;
}

/// Each line is a document of its own, so results can be joined by `cat`, and an error names its
/// line.
template <typename Read>
auto read_lines(std::string_view lines, const std::string& source, Read read) {
  std::vector<decltype(read(std::declval<const JsonCursor&>()))> rows;
  for_each_json_line(lines, source, [&](const JsonCursor& at) { rows.push_back(read(at)); });
  if (rows.empty()) {
    throw InputError(shown_source(source), "found no points; expected a line for each");
  }
  return rows;
}

}  // namespace

ResultKind result_kind(const std::string& text) {
  const std::string_view line = first_line(text);
  if (line.starts_with("point,status,") || line.starts_with("task,status,")) {
    return ResultKind::table;
  }
  const std::string format = format_of(line);
  if (format == kSweepFormat) return ResultKind::sweep;
  if (format == kMinRamFormat) return ResultKind::min_ram;
  if (format == kBaselinesFormat) return ResultKind::baselines;
  if (format == kJournalFormat) return ResultKind::journal;
  return ResultKind::schedule;
}

// All these files come from this program, so each refusal says which of them was found.
void require_schedules(ResultKind kind, const std::string& source) {
  const auto refuse = [&](const char* found) {
    throw InputError(
        shown_source(source),
        fmt::format("found {}; expected a schedule file or the JSON lines of a sweep", found));
  };
  if (kind == ResultKind::min_ram) refuse("the answers of sweep --min-ram");
  if (kind == ResultKind::baselines) refuse("the lines of baselines");
  if (kind == ResultKind::table) refuse("the CSV table of a sweep");
  if (kind == ResultKind::journal) {
    refuse("the journal of a sweep that is not finished (--resume finishes it)");
  }
}

// Relative to the rows, so that a folder with results can be moved.
std::string schedule_path(const std::string& result, const SweepRow& row) {
  return (std::filesystem::path(result).parent_path() / row.schedule_file.value_or("")).string();
}

ComparedResult read_compared(const std::string& path, bool replay_rows) {
  const std::string text = read_file(path, kMaxResultBytes);
  if (text.find_first_not_of(" \t\r\n") != std::string::npos &&
      text[text.find_first_not_of(" \t\r\n")] != '{') {
    throw InputError(path,
                     "found no JSON; expected a schedule file or the JSON lines of a sweep "
                     "(not its CSV table)");
  }
  const ResultKind kind = result_kind(text);
  if (kind == ResultKind::min_ram) {
    throw InputError(path,
                     "found the answers of sweep --min-ram; expected a schedule file or the "
                     "JSON lines of a sweep");
  }
  return kind == ResultKind::sweep ? read_sweep(text, path, replay_rows)
                                   : read_schedule(text, path);
}

std::vector<SweepRow> parse_sweep(std::string_view lines, const std::string& source) {
  return read_lines(lines, source, sweep_row);
}

std::vector<BaselineRow> parse_baselines(std::string_view lines, const std::string& source) {
  return read_lines(lines, source, baseline_row);
}

}  // namespace poet
