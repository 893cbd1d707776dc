// The command `plot`. src/pictures makes SVG as text; this file chooses between the two kinds of
// pictures, refuses options that only the other kind has, and runs rsvg-convert for PDF. No library
// for PDF is linked, since the program needs none for anything else. What a file is follows from
// its content and not from its name, since results come through pipes as well. A schedule is
// verified before it is drawn. The rows of a sweep are not, as that would take every schedule file
// that they name: `verify` does it.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/commands/baselines/method_bars.hpp"
#include "app/terminal/deliver.hpp"
#include "base/files/files.hpp"
#include "base/process/run_filter.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/read_results.hpp"
#include "formats/write_page.hpp"
#include "formats/write_sweep.hpp"
#include "formats/write_trace.hpp"
#include "pictures/curves.hpp"
#include "pictures/figure_data.hpp"
#include "pictures/svg_writer.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"

namespace poet {

enum class PictureFormat { svg, pdf, html, trace };

template <>
inline constexpr auto kNames<PictureFormat> =
    kWords<PictureFormat::svg, PictureFormat::pdf, PictureFormat::html, PictureFormat::trace>;

template <>
inline constexpr auto kNames<LaneChoice> =
    kWords<LaneChoice::all, LaneChoice::forward, LaneChoice::changed, LaneChoice::none>;

template <>
inline constexpr auto kNames<ColumnWidth> =
    kWords<ColumnWidth::computation, ColumnWidth::time, ColumnWidth::energy>;

template <>
inline constexpr Names<PictureTheme, 3> kNames<PictureTheme> = {{{PictureTheme::automatic, "auto"},
                                                                 {PictureTheme::light, "light"},
                                                                 {PictureTheme::dark, "dark"}}};

}  // namespace poet

namespace poet::cli {
namespace {

constexpr const char* kPlotHelp =
    R"(A schedule file becomes RAM over time and every tensor's life. The JSON lines of a sweep
become energy overhead over RAM budget, or over runtime budget if that alone varies: a panel
for each model on each platform, a colour for each set of techniques, a dash for each runtime
budget. The JSON lines of baselines become a bar for each method. The content of a file decides
which of the three it is.

Exit status:
  0                               drawn
  2                               bad usage or input; nothing was written

Examples:
  $ poet-solve plot schedule.json --output schedule.svg
  $ poet-solve plot schedule.json --width 174mm --no-title --lanes changed --format pdf \
      --output figure.pdf
      A figure for a paper, as wide as its page, for a caption of its own.
  $ poet-solve plot schedule.json --format trace --output trace.json
      For ui.perfetto.dev and speedscope.app.
  $ poet-solve plot schedule.json --format html --output schedule.html
      A page that needs nothing else, to open in a browser.
  $ poet-solve plot curve.jsonl --output curve.svg
  $ cat m4.jsonl a72.jsonl | poet-solve plot - > both.svg
      The results of two sweeps in one picture.)";

// What only one kind of picture has is optional, so that a value that was given can be told from
// the usual one, and be refused for the other kind.
struct PlotArguments {
  std::string file;
  std::string output;
  std::optional<double> width_mm;
  bool no_title = false;
  bool beside_baseline = false;
  PictureFormat format = PictureFormat::svg;
  std::optional<LaneChoice> lanes;
  std::optional<ColumnWidth> x_axis;
  std::optional<PictureTheme> theme;
  bool log = false;
  bool linear = false;
  std::string data;
};

/// The number of `84mm`.
double parse_millimetres(const std::string& text) {
  constexpr std::string_view kUnit = "mm";
  std::string_view digits = text;
  double number = 0;
  if (digits.ends_with(kUnit)) {
    digits.remove_suffix(kUnit.size());
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    const bool is_fine = error == std::errc{} && stop == end;
    if (is_fine && number >= kMinPictureMm && number <= kMaxPictureMm) return number;
  }
  throw InputError(fmt::format("found '{}'; expected a width from {}mm to {}mm",
                               printable(text, 80), kMinPictureMm, kMaxPictureMm));
}

/// A picture for paper is light unless it is asked to be otherwise: it may be seen on a dark screen
/// first, in a page that is white all the same.
PictureOptions picture_options(const PlotArguments& arguments) {
  const PictureTheme usual = arguments.width_mm ? PictureTheme::light : PictureTheme::automatic;
  return {.width_mm = arguments.width_mm,
          .title = !arguments.no_title,
          .theme = arguments.theme.value_or(usual),
          .lanes = arguments.lanes.value_or(LaneChoice::all),
          .beside_baseline = arguments.beside_baseline,
          .columns = arguments.x_axis.value_or(ColumnWidth::computation),
          .overheads = arguments.log      ? OverheadScale::logarithmic
                       : arguments.linear ? OverheadScale::linear
                                          : OverheadScale::automatic};
}

/// Many times what the largest built-in model takes.
constexpr Seconds kMaxPdfSeconds = 60;

/// The picture as a PDF, with its text as text.
/// The SVG goes through pipes: no temporary file can be left behind, and no shell reads a name.
std::string to_pdf(const std::string& svg) {
  FilterRun run = run_filter("rsvg-convert", {"--format", "pdf"}, svg, kMaxPdfSeconds);
  if (run.missing) {
    throw InputError("--format",
                     "pdf needs 'rsvg-convert', which is missing (Debian: librsvg2-bin); svg needs "
                     "nothing");
  }
  if (run.problem.empty() && !run.out.starts_with("%PDF-")) run.problem = "wrote no PDF";
  if (run.problem.empty()) return std::move(run.out);
  throw InputError("--format", fmt::format("'rsvg-convert' {}", run.problem));
}

/// A terminal cannot show a PDF.
void check_pdf_destination(const std::string& output) {
  if (!output.empty() || ::isatty(STDOUT_FILENO) == 0) return;
  throw InputError("--format",
                   "found pdf for a terminal; expected --output FILE, or stdout in a file or pipe");
}

/// A name says nothing of what is in a file; but one that ends as another format does was meant so.
void check_name(const std::string& output, PictureFormat format) {
  for (const PictureFormat other : {PictureFormat::svg, PictureFormat::pdf, PictureFormat::html}) {
    if (other == format || !output.ends_with(fmt::format(".{}", name_of(other)))) continue;
    throw InputError("--output", fmt::format("found '{}' for {}; expected --format {}, or a name "
                                             "that ends otherwise",
                                             printable(output), name_of(format), name_of(other)));
  }
}

/// A picture of a schedule that does not hold would be believed.
void check_valid(const ScheduleFile& file, const std::string& source) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (findings.empty()) return;
  for (const std::string& finding : findings) spdlog::error("{}", finding);
  throw InputError(
      shown_source(source),
      fmt::format("found {}; expected a schedule file that 'poet-solve verify' accepts",
                  counted(findings.size(), "finding")));
}

/// What only pictures have. A page has a theme as well.
void refuse_picture_options(const PlotArguments& arguments) {
  const bool is_trace = arguments.format == PictureFormat::trace;
  const std::pair<const char*, bool> given[] = {{"--width", arguments.width_mm.has_value()},
                                                {"--no-title", arguments.no_title},
                                                {"--lanes", arguments.lanes.has_value()},
                                                {"--beside-baseline", arguments.beside_baseline},
                                                {"--x-axis", arguments.x_axis.has_value()},
                                                {"--log", arguments.log},
                                                {"--linear", arguments.linear},
                                                {"--data", !arguments.data.empty()},
                                                {"--theme", is_trace && arguments.theme}};
  for (const auto& [option, is_given] : given) {
    if (!is_given) continue;
    throw InputError(option, fmt::format("found with --format {}; expected svg or pdf",
                                         name_of(arguments.format)));
  }
}

std::string trace_of(const std::string& text, const std::string& source, ResultKind kind) {
  if (kind == ResultKind::sweep) {
    throw InputError("--format", "found trace for the lines of a sweep; expected a schedule file");
  }
  const ScheduleFile file = parse_schedule_file(text, source);
  check_valid(file, source);
  return schedule_trace(file);
}

/// A point that failed says nothing about its budget. If all points failed, the picture would be
/// empty, so an error names the reason of the first.
std::vector<SweepRow> drawable_rows(const std::string& text, const std::string& source) {
  std::vector<SweepRow> rows = parse_sweep(text, source);
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
  return rows;
}

std::string page_of(const std::string& text, const std::string& source, ResultKind kind,
                    PictureTheme theme) {
  if (kind == ResultKind::sweep) return sweep_page(drawable_rows(text, source), name_of(theme));
  const ScheduleFile file = parse_schedule_file(text, source);
  check_valid(file, source);
  return schedule_page(file, name_of(theme));
}

std::string draw_schedule(const std::string& text, const std::string& source,
                          const PictureOptions& look) {
  const ScheduleFile file = parse_schedule_file(text, source);
  check_valid(file, source);
  return schedule_svg(file, look);
}

/// Only pictures of schedules have it.
void refuse_for_sweep(const char* option, bool is_given) {
  if (is_given) {
    throw InputError(option, "found with the lines of a sweep; expected a schedule file");
  }
}

/// Only pictures of sweeps have it.
void refuse_for_schedule(const char* option, bool is_given) {
  if (is_given) {
    throw InputError(option, "found with a schedule file; expected the lines of a sweep");
  }
}

// Bars have a scale and nothing else to choose.
std::string draw_methods(const std::string& text, const PlotArguments& arguments,
                         const PictureOptions& look) {
  if (arguments.format == PictureFormat::trace || arguments.format == PictureFormat::html) {
    throw InputError("--format", fmt::format("found {} for the lines of baselines; expected svg or "
                                             "pdf",
                                             name_of(arguments.format)));
  }
  const std::pair<const char*, bool> given[] = {{"--lanes", arguments.lanes.has_value()},
                                                {"--beside-baseline", arguments.beside_baseline},
                                                {"--x-axis", arguments.x_axis.has_value()},
                                                {"--data", !arguments.data.empty()}};
  for (const auto& [option, is_given] : given) {
    if (is_given) throw InputError(option, "found with the lines of baselines");
  }
  return methods_svg(bars_of(parse_baselines(text, arguments.file)), look);
}

/// What is drawn, as numbers.
std::string data_of(const std::string& text, const std::string& source, bool is_sweep) {
  if (is_sweep) return curve_data(plot::curve_points(parse_sweep(text, source)));
  return schedule_data(parse_schedule_file(text, source));
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

// Options are checked before the file is read.
ExitCode plot_result(const PlotArguments& arguments) {
  const PictureOptions look = picture_options(arguments);
  const bool pdf = arguments.format == PictureFormat::pdf;
  check_name(arguments.output, arguments.format);
  if (pdf) check_pdf_destination(arguments.output);
  const std::string text = read_file(arguments.file, kMaxResultBytes);
  const ResultKind kind = result_kind(text);
  if (kind == ResultKind::baselines) {
    const std::string bars = draw_methods(text, arguments, look);
    return deliver(pdf ? to_pdf(bars) : bars, arguments.output);
  }
  require_schedules(kind, arguments.file);
  if (arguments.format == PictureFormat::trace) {
    refuse_picture_options(arguments);
    return deliver(trace_of(text, arguments.file, kind), arguments.output);
  }
  if (arguments.format == PictureFormat::html) {
    refuse_picture_options(arguments);
    return deliver(page_of(text, arguments.file, kind, look.theme), arguments.output);
  }
  const bool is_sweep = kind == ResultKind::sweep;
  refuse_for_sweep("--lanes", is_sweep && arguments.lanes);
  refuse_for_sweep("--beside-baseline", is_sweep && arguments.beside_baseline);
  refuse_for_sweep("--x-axis", is_sweep && arguments.x_axis);
  refuse_for_schedule("--log", !is_sweep && arguments.log);
  refuse_for_schedule("--linear", !is_sweep && arguments.linear);
  const std::string svg =
      is_sweep ? sweep_svg(plot::curve_points(drawable_rows(text, arguments.file)), look)
               : draw_schedule(text, arguments.file, look);
  warn_if_higher_than_page(svg, advice(kind, look.lanes));
  if (!arguments.data.empty()) {
    write_file(arguments.data, data_of(text, arguments.file, is_sweep));
  }
  return deliver(pdf ? to_pdf(svg) : svg, arguments.output);
}

// Sizes are millimetres of paper, since a picture for a paper has to fit its column exactly.
Run add_plot(CLI::App& app) {
  const auto arguments = std::make_shared<PlotArguments>();
  OptionGroup group(app);
  group.argument("FILE", arguments->file,
                 "a schedule file, the JSON lines of a sweep or of baselines, or - for stdin");
  group.text("--output", arguments->output, "FILE", "write the picture there, whole or not at all");
  group.parsed(
      "--width", arguments->width_mm, "MM", parse_millimetres,
      "lay the picture out for this width on paper, with no text below 6 pt: 84mm, 174mm or "
      "any other; without, for screens");
  group.flag("--no-title", arguments->no_title,
             "leave out what a caption says: the title, and the figures under it");
  group.choice(
      "--format", arguments->format,
      "what to write: a picture; or html, a page with search, zoom and what other treatments of "
      "each tensor would cost; or trace, the step of a schedule for Perfetto and speedscope, with "
      "its RAM and each tensor's life; pdf needs rsvg-convert (Debian: "
      "librsvg2-bin)");
  group.choice("--lanes", arguments->lanes,
               "the tensors of a schedule that have a lane: all (the default), the tensors "
               "of the forward pass, all that are recomputed or paged, or none");
  group
      .flag("--beside-baseline", arguments->beside_baseline,
            "of a schedule: only RAM over time, in front of the RAM that keeping everything takes")
      ->excludes(app.get_option("--lanes"));
  group.choice("--x-axis", arguments->x_axis,
               "what a schedule is drawn over: its computations, each as wide as any other (the "
               "default); or the time of the step; or its energy");
  group.choice(
      "--theme", arguments->theme,
      "the colours: auto is what the reader's screen prefers; without, auto, or light with "
      "--width");
  CLI::Option* log = group.flag("--log", arguments->log,
                                "of a sweep: overheads on a logarithmic scale, linear near 0; "
                                "usual if a curve would lie flat otherwise");
  group.flag("--linear", arguments->linear, "of a sweep: overheads on a linear scale")
      ->excludes(log);
  group.text("--data", arguments->data, "FILE",
             "write what is drawn there as well, as CSV for matplotlib and pgfplots");
  return [arguments](Session&) { return plot_result(*arguments); };
}

}  // namespace

extern const Command kPlot{
    .name = "plot",
    .summary = "draw a schedule, the curves of a sweep or the bars of baselines, as SVG or PDF",
    .footer = kPlotHelp,
    .add = add_plot};

}  // namespace poet::cli
