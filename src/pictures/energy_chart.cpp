// Energy as it adds up over the columns of the chart above: what recomputing and paging cost, and
// which of the columns they are spent in. First computations are the same in every schedule of a
// graph, so they have a chart of their own below which nothing can be saved; recomputing and paging
// are what schedules differ in, and usually too little to be seen on the same scale.

#include <fmt/format.h>

#include "pictures/column_axis.hpp"
#include "pictures/legend.hpp"
#include "pictures/schedule_page.hpp"
#include "pictures/schedule_style.hpp"
#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kFirstHeight = 50;
constexpr double kExtraHeight = 60;
constexpr double kChartGap = 12;
constexpr double kHeadroom = 1.1;
constexpr int kTicks = 3;

/// One part of the energy.
struct Part {
  const std::vector<Joules>& so_far;
  const char* css_class;
  const char* name;
};

/// What a step takes beyond its first computations. Usually a small part of the whole, so it has a
/// chart with a scale of its own.
std::vector<Part> extra_parts(const EnergySoFar& energy) {
  std::vector<Part> parts;
  if (energy.again.back() > 0) parts.push_back({energy.again, "ink", "recomputations"});
  if (energy.paging.back() > 0) parts.push_back({energy.paging, kPagingClass, "paging"});
  return parts;
}

std::vector<Part> first_part(const EnergySoFar& energy) {
  return {{energy.first, kRestClass, "first computations"}};
}

EnergySoFar energy_of(const SchedulePage& page) {
  return energy_so_far(page.file.graph, page.file.schedule, page.timeline);
}

// Sums stand in the legend, so that small parts can be read although the chart cannot show them.
std::vector<LegendEntry> legend(const EnergySoFar& energy) {
  std::vector<LegendEntry> entries;
  const auto add = [&](const Part& part) {
    entries.push_back(patch_entry(
        part.css_class, fmt::format("{}, {}", part.name, format_joules(part.so_far.back()))));
  };
  for (const Part& part : first_part(energy)) add(part);
  for (const Part& part : extra_parts(energy)) add(part);
  return entries;
}

/// Around the area between two rising lines.
std::string area(const ColumnAxis& x, const Scale& y, const std::vector<Joules>& lower,
                 const std::vector<Joules>& upper) {
  PathData path;
  for (std::size_t e = 0; e < upper.size(); ++e) path.next(x(static_cast<int>(e)), y(upper[e]));
  for (std::size_t e = lower.size(); e-- > 0;) path.line(x(static_cast<int>(e)), y(lower[e]));
  return path.close().text();
}

std::string line_of(const ColumnAxis& x, const Scale& y, const std::vector<Joules>& values) {
  PathData path;
  for (std::size_t e = 0; e < values.size(); ++e) path.next(x(static_cast<int>(e)), y(values[e]));
  return path.text();
}

/// Draws parts on top of each other between two y, with the line of their sum.
void draw_parts(SvgWriter& svg, const SchedulePage& page, const std::vector<Part>& parts,
                double bottom, double top) {
  Joules total = 0;
  for (const Part& part : parts) total += part.so_far.back();
  const Scale y{.low = 0, .high = total > 0 ? kHeadroom * total : 1, .from = bottom, .to = top};
  for (const Tick& tick : joule_ticks(y.low, y.high, kTicks)) {
    svg.line(page.x.from(), y(tick.value), page.x.to(), y(tick.value), "grid");
    svg.text(page.x.from() - 8, y(tick.value) + 4, "axis end", tick.label);
  }
  draw_grid(svg, page, top, bottom);
  std::vector<Joules> lower(page.timeline.columns.size() + 1, 0);
  for (const Part& part : parts) {
    std::vector<Joules> upper = lower;
    for (std::size_t e = 0; e < upper.size(); ++e) upper[e] += part.so_far[e];
    svg.element("path", {{"class", part.css_class}, {"d", area(page.x, y, lower, upper)}},
                fmt::format("{}: {} in all", part.name, format_joules(part.so_far.back())));
    lower = std::move(upper);
  }
  svg.element("path", {{"class", "total"}, {"d", line_of(page.x, y, lower)}});
  svg.line(page.x.from(), bottom, page.x.to(), bottom, "edge");
  svg.text(page.x.to() + 8, y(total) + 4, "axis strong", format_joules(total));
}

// A schedule that neither recomputes nor pages has no second chart, and gives its room back.
double extra_height(const EnergySoFar& energy) {
  return extra_parts(energy).empty() ? 0 : kExtraHeight + kChartGap;
}

double height(const SchedulePage& page, const EnergySoFar& energy) {
  return kHeadingHeight + legend_rows_height(legend(energy), page.look.room()) + kChartGap +
         kFirstHeight + extra_height(energy);
}

}  // namespace

double energy_chart_height(const SchedulePage& page) {
  return height(page, energy_of(page));
}

void draw_energy_chart(SvgWriter& svg, const SchedulePage& page, double top) {
  const EnergySoFar energy = energy_of(page);
  draw_heading(svg, page.look, top, "Energy as it adds up");
  draw_legend_rows(svg, legend(energy), page.look.left(), page.look.right(), top + kHeadingHeight);
  const double bottom = top + height(page, energy);
  const double first_bottom = bottom - extra_height(energy);
  svg.open("g");
  draw_parts(svg, page, first_part(energy), first_bottom, first_bottom - kFirstHeight);
  if (first_bottom < bottom) {
    draw_parts(svg, page, extra_parts(energy), bottom, bottom - kExtraHeight);
  }
  svg.close();
}

}  // namespace poet::plot
