#include <spdlog/spdlog.h>

#include <algorithm>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/plot_options.hpp"
#include "app/plot_pdf.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "pictures/curves.hpp"
#include "pictures/svg_writer.hpp"
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

std::string draw_schedule(const std::string& text, const std::string& source,
                          const PictureOptions& look) {
  const ScheduleFile report = parse_schedule_file(text, source);
  check_valid(report, source);
  return schedule_svg(report, look);
}

std::string draw_sweep(const std::string& text, const std::string& source,
                       const PictureOptions& look) {
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
  return sweep_svg(plot::curve_points(rows), look);
}

/// What only pictures of schedules have.
void refuse_for_sweep(const char* option, const std::string& value) {
  if (value.empty()) return;
  throw InputError(option, "found with the lines of a sweep; expected a schedule file");
}

/// A page of A4 has about this height for text and figures.
constexpr double kPageMm = 240;

/// What makes a picture lower that has these lanes.
const char* advice(ResultKind kind, LaneChoice lanes) {
  if (kind == ResultKind::sweep) return "a larger --width, or fewer models or platforms";
  switch (lanes) {
    case LaneChoice::all:
    case LaneChoice::forward:
      return "--lanes changed shows the tensors that are recomputed or paged";
    case LaneChoice::changed:
      return "--lanes none leaves out the lanes";
    case LaneChoice::none:
      break;
  }
  return "a larger --width";
}

/// Says that a picture for paper will not fit on it.
void warn_if_higher_than_page(const std::string& svg, const char* advice) {
  const double height = plot::height_mm(svg).value_or(0);
  if (height <= kPageMm) return;
  spdlog::warn("the picture is {:.0f} mm high, and a page of A4 has about {:.0f} mm: {}", height,
               kPageMm, advice);
}

}  // namespace

Outcome run_plot(const Options& options) {
  const PictureOptions look = picture_options(options.plot);
  check_destination("--output", options.output);
  const std::string& source = options.input_file;
  const bool pdf = options.plot.format == "pdf";
  if (pdf) check_pdf_destination(options.output);
  const std::string text = read_file(source, kMaxResultBytes);
  const ResultKind kind = result_kind(text);
  require_schedules(kind, source);
  if (kind == ResultKind::sweep) {
    refuse_for_sweep("--lanes", options.plot.lanes);
    refuse_for_sweep("--x-axis", options.plot.x_axis);
  }
  const std::string svg = kind == ResultKind::sweep ? draw_sweep(text, source, look)
                                                    : draw_schedule(text, source, look);
  warn_if_higher_than_page(svg, advice(kind, look.lanes));
  return {.document = pdf ? to_pdf(svg) : svg, .output = options.output};
}

}  // namespace poet::cli
