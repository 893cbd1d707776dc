#include <spdlog/spdlog.h>

#include <algorithm>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "pictures/curves.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"

namespace poet::cli {
namespace {

/// A picture of a schedule that does not hold would be believed.
void check_valid(const ScheduleFile& report, const std::string& source) {
  const std::vector<std::string> findings = verify_schedule_file(report);
  if (findings.empty()) return;
  for (const std::string& finding : findings) spdlog::error("{}", finding);
  throw InputError(shown_source(source),
                   fmt::format("found {} finding{}; expected a schedule file that 'poet-solve "
                               "verify' accepts",
                               findings.size(), findings.size() == 1 ? "" : "s"));
}

std::string draw_schedule(const std::string& text, const std::string& source) {
  const ScheduleFile report = parse_schedule_file(text, source);
  check_valid(report, source);
  return schedule_svg(report);
}

std::string draw_sweep(const std::string& text, const std::string& source) {
  const std::vector<SweepRow> rows = parse_sweep(text, source);
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) {
    return row.status == SweepRow::Status::failed;
  });
  if (failed == static_cast<std::ptrdiff_t>(rows.size())) {
    throw InputError(shown_source(source),
                     fmt::format("found no result: every point failed ({}); 'poet-solve sweep "
                                 "--resume' tries them once more",
                                 rows.front().reason));
  }
  if (failed > 0) {
    spdlog::warn("{} of {} points failed; drawn as points without a schedule", failed, rows.size());
  }
  return sweep_svg(plot::curve_points(rows));
}

}  // namespace

Outcome run_plot(const Options& options) {
  check_destination("--output", options.output);
  const std::string& source = options.input_file;
  const std::string text = read_file(source, kMaxResultBytes);
  const ResultKind kind = result_kind(text);
  require_schedules(kind, source);
  return {.document =
              kind == ResultKind::sweep ? draw_sweep(text, source) : draw_schedule(text, source),
          .output = options.output};
}

}  // namespace poet::cli
