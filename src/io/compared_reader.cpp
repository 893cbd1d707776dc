#include "io/compared_reader.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "compare/point_key.hpp"
#include "compare/report_row.hpp"
#include "io/files/read_file.hpp"
#include "io/result_kind.hpp"
#include "io/solve_document.hpp"
#include "io/sweep_json.hpp"
#include "poet/error.hpp"
#include "schedule/tolerance.hpp"

namespace poet {
namespace {

std::string fault_of(const Report& report) {
  const std::vector<std::string> findings = verify_report(report);
  return findings.empty() ? std::string() : "the schedule is not valid: " + findings.front();
}

/// What is wrong with the schedule that a row names.
std::string fault_of(const SweepRow& row, const std::string& path) {
  try {
    const SolveDocument document = parse_solve_document(read_file(path), path);
    if (!document.report) return fmt::format("'{}' holds no schedule", path);
    std::string fault = fault_of(*document.report);
    if (!fault.empty()) return fault;
    const SweepRow found = report_row(*document.report);
    const std::string difference = problem_difference(row, found);
    if (!difference.empty()) return fmt::format("'{}' is another one's: {}", path, difference);
    if (agree(found.summary->energy_joules, row.summary->energy_joules)) return {};
    return fmt::format("'{}' needs {} J, its row says {} J", path, found.summary->energy_joules,
                       row.summary->energy_joules);
  } catch (const InputError& error) {
    return fmt::format("the schedule cannot be replayed: {}", error.what());
  }
}

ComparedResult read_sweep(const std::string& text, const std::string& path, bool replay_rows) {
  ComparedResult result{.is_sweep = true};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (SweepRow& row : parse_sweep(text, path)) {
    ComparedPoint point;
    if (replay_rows && row.summary && row.schedule_file) {
      point.fault = fault_of(row, (folder / *row.schedule_file).string());
    }
    point.row = std::move(row);
    result.points.push_back(std::move(point));
  }
  return result;
}

ComparedResult read_schedule(const std::string& text, const std::string& path) {
  const SolveDocument document = parse_solve_document(text, path);
  if (document.report) {
    return {.points = {{.row = report_row(*document.report), .fault = fault_of(*document.report)}}};
  }
  const bool failed = document.code != ExitCode::infeasible && document.code != ExitCode::limit;
  return {
      .has_problem = false,
      .points = {{.row = {.status = failed ? "failed" : std::string(status_name(document.status)),
                          .reason = document.error}}}};
}

}  // namespace

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

}  // namespace poet
