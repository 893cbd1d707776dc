// The chart that the papers on rematerialisation draw, RAM over time, with what they leave out:
// whose bytes they are. It has a column for each computation and not for each stage, because RAM is
// highest during a computation, and one stage may recompute half of the network.

#include <algorithm>

#include <fmt/format.h>

#include "pictures/schedule_page.hpp"
#include "pictures/schedule_style.hpp"
#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kPlotTop = 18;  ///< room for the names of the passes
constexpr double kStripGap = 6;
constexpr double kStripHeight = 16;

/// As high as suits the width of the page.
double plot_height(const Look& look) {
  if (!look.width_mm) return 260;
  return look.narrow() ? 170 : 220;
}

/// A budget far above the peak would press the chart flat; it is named instead of drawn.
constexpr double kMaxBudgetShown = 1.6;
constexpr double kRamHeadroom = 1.06;

struct MemoryAxis {
  Scale y;
  bool shows_budget = true;
};

MemoryAxis memory_axis(const SchedulePage& page, double top, double bottom) {
  const Summary& summary = page.file.summary;
  const auto peak = static_cast<double>(
      page.kept.empty() ? summary.peak_ram_bytes
                        : *std::max_element(page.kept.begin(), page.kept.end()));
  const auto budget = static_cast<double>(summary.ram_budget_bytes);
  const bool shows_budget = budget <= kMaxBudgetShown * peak;
  const double most =
      std::max({shows_budget ? budget : peak, peak, static_cast<double>(kTickCount)});
  return {.y = {.low = 0, .high = kRamHeadroom * most, .from = bottom, .to = top},
          .shows_budget = shows_budget};
}

/// A stretch of columns in which a band has bytes.
struct Run {
  int first = 0;
  int end = 0;  ///< one beyond the last
};

// A tensor that is freed and comes back has several stretches, each a shape of its own.
std::vector<Run> runs(const std::vector<Bytes>& bytes) {
  std::vector<Run> result;
  for (int c = 0; c < static_cast<int>(bytes.size()); ++c) {
    if (bytes[c] == 0) continue;
    if (result.empty() || result.back().end != c) result.push_back({.first = c, .end = c});
    result.back().end = c + 1;
  }
  return result;
}

/// Around the area under an edge that has a step at every column.
std::string outline(const Run& run, const std::vector<Bytes>& upper, const ColumnAxis& x,
                    const Scale& y) {
  const auto level = [&](Bytes bytes) { return y(static_cast<double>(bytes)); };
  PathData path;
  path.move(x(run.first), level(upper[run.first]));
  for (int c = run.first + 1; c < run.end; ++c) {
    if (upper[c] != upper[c - 1]) path.horizontal(x(c)).vertical(level(upper[c]));
  }
  return path.horizontal(x(run.end)).vertical(level(0)).horizontal(x(run.first)).close().text();
}

std::string tip(const SchedulePage& page, const Band& band, const Run& run) {
  if (band.node < 0) return band.name;
  return fmt::format("{}, in RAM in stages {} to {}", describe(page.file.graph, band.node),
                     page.timeline.columns[run.first].stage,
                     page.timeline.columns[run.end - 1].stage);
}

/// From the top down, each reaching down to zero under those below it: shapes that only touch have
/// a seam between them.
void draw_bands(SvgWriter& svg, const SchedulePage& page, const Scale& y) {
  std::vector<Bytes> upper(page.timeline.columns.size(), 0);
  for (std::size_t c = 0; c < upper.size(); ++c) {
    for (const Band& band : page.stack.bands) upper[c] += band.bytes[c];
  }
  for (auto band = page.stack.bands.rbegin(); band != page.stack.bands.rend(); ++band) {
    for (const Run& run : runs(band->bytes)) {
      svg.element("path",
                  {{"class", (page.stack.by_kind ? "" : "band ") + band->css_class},
                   {"d", outline(run, upper, page.x, y)}},
                  tip(page, *band, run));
    }
    for (std::size_t c = 0; c < upper.size(); ++c) upper[c] -= band->bytes[c];
  }
}

/// What keeping everything holds, behind the schedule, with its peak beside the chart.
void draw_kept(SvgWriter& svg, const SchedulePage& page, const Scale& y) {
  if (page.kept.empty()) return;
  for (const Run& run : runs(page.kept)) {
    svg.element("path", {{"class", "rest"}, {"d", outline(run, page.kept, page.x, y)}},
                "everything kept");
  }
  const Bytes peak = *std::max_element(page.kept.begin(), page.kept.end());
  const double top = y(static_cast<double>(peak));
  svg.text(page.x.to() + 8, top + 4, "axis strong", "all kept");
  svg.text(page.x.to() + 8, top + 18, "axis strong", format_bytes(peak));
}

void draw_memory_ticks(SvgWriter& svg, const SchedulePage& page, const Scale& y) {
  for (const Tick& tick : byte_ticks(y.low, y.high, kTickCount)) {
    svg.line(page.x.from(), y(tick.value), page.x.to(), y(tick.value), "grid");
    svg.text(page.x.from() - 8, y(tick.value) + 4, "axis end", tick.label);
  }
}

void draw_budget(SvgWriter& svg, const SchedulePage& page, const MemoryAxis& axis) {
  const Bytes budget = page.file.summary.ram_budget_bytes;
  const double y = axis.shows_budget ? axis.y(static_cast<double>(budget)) : axis.y.to;
  if (axis.shows_budget) svg.line(page.x.from(), y, page.x.to(), y, "budget");
  constexpr double kOfBoldText = 1.15;  // estimates are for upright text of usual weight
  const std::string name = "RAM budget";
  const bool fits =
      kOfBoldText * estimated_width(name, kNoteSize) <= page.look.width - page.x.to() - 8;
  svg.text(page.x.to() + 8, y + 1, "axis strong", fits ? name : "budget");
  svg.text(page.x.to() + 8, y + 15, "axis strong", format_bytes(budget));
  if (!axis.shows_budget) svg.text(page.x.to() + 8, y + 29, "axis", "(above this)");
}

/// In an order that was chosen, layers may be computed for the first time among gradients.
bool are_passes_mixed(const Graph& graph) {
  return std::any_of(graph.nodes.begin() + graph.first_backward, graph.nodes.end(),
                     [](const Node& node) { return !node.backward; });
}

void draw_passes(SvgWriter& svg, const SchedulePage& page, double baseline) {
  if (page.timeline.boundary < 0) return;
  constexpr double kGap = 8;
  const double x = page.x(page.timeline.boundary);
  const auto width = [](const char* name) { return kGap + estimated_width(name, kNoteSize); };
  const bool mixed = are_passes_mixed(page.file.graph);
  const char* const forward = mixed ? "layers" : "forward pass";
  const char* const backward = mixed ? "layers and gradients" : "backward pass";
  if (x - width(forward) >= page.look.left()) svg.text(x - kGap, baseline, "axis end", forward);
  if (x + width(backward) <= page.look.right()) svg.text(x + kGap, baseline, "axis", backward);
}

std::string strip_class(const SchedulePage& page, const RamSample& column) {
  if (column.node != column.stage) return "ink";
  return page.file.graph.nodes[column.node].backward ? kRestBackwardClass : kRestClass;
}

/// What runs: the pass, or that it is a recomputation. Columns that look alike are drawn as one,
/// because renderers leave a light seam between shapes that touch; over them is, unseen, what the
/// pointer finds in each column.
void draw_strip(SvgWriter& svg, const SchedulePage& page, double top) {
  svg.text(page.x.from() - 8, top + 12, "axis end", "computing");
  const auto cell = [&](const std::string& css_class, int first, int end, const std::string& tip) {
    svg.element("rect",
                {{"class", css_class},
                 {"x", page.x(first)},
                 {"y", top},
                 {"width", page.x(end) - page.x(first)},
                 {"height", kStripHeight}},
                tip);
  };
  const std::vector<RamSample>& columns = page.timeline.columns;
  int first = 0;
  for (int c = 1; c <= page.timeline.size(); ++c) {
    const std::string look = strip_class(page, columns[first]);
    if (c < page.timeline.size() && strip_class(page, columns[c]) == look) continue;
    cell(look, first, c, "");
    first = c;
  }
  for (int c = 0; c < page.timeline.size(); ++c) {
    const char* verb = columns[c].node == columns[c].stage ? "computes" : "recomputes";
    cell("unseen", c, c + 1,
         fmt::format("stage {} {} {}; {} in RAM", columns[c].stage, verb,
                     describe(page.file.graph, columns[c].node),
                     format_bytes(columns[c].ram_bytes)));
  }
}

}  // namespace

double memory_chart_height(const SchedulePage& page) {
  return kPlotTop + plot_height(page.look) + kStripGap + kStripHeight;
}

void draw_memory_chart(SvgWriter& svg, const SchedulePage& page, double top) {
  const double bottom = top + kPlotTop + plot_height(page.look);
  const MemoryAxis axis = memory_axis(page, top + kPlotTop, bottom);
  svg.open("g");
  draw_memory_ticks(svg, page, axis.y);
  draw_grid(svg, page, top + kPlotTop, bottom);
  draw_kept(svg, page, axis.y);
  draw_bands(svg, page, axis.y);
  draw_budget(svg, page, axis);
  draw_passes(svg, page, top + kPlotTop - 6);
  svg.line(page.x.from(), bottom, page.x.to(), bottom, "edge");
  draw_strip(svg, page, bottom + kStripGap);
  svg.close();
}

}  // namespace poet::plot
