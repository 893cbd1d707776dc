// Legends in two forms. Entries that are compared, such as the bands of a chart, stand in straight
// columns and are shortened to fit. Entries that are only looked up take as few rows as they need.
// In both the height is known before anything is drawn, as a page is laid out from the top down.

#include "pictures/legend.hpp"

#include <algorithm>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kTextGap = 6;
constexpr double kColumnGap = 12;

double entry_width(const LegendEntry& entry) {
  return entry.mark_width + kTextGap + estimated_width(entry.text, kNoteSize) + kColumnGap;
}

/// Where an entry is in rows that are as full as can be.
struct Place {
  int row = 0;
  double x = 0;
};

// Entries keep their order, so that a row may end early; no later entry is moved up to fill it.
std::vector<Place> places(const std::vector<LegendEntry>& entries, double width) {
  std::vector<Place> result;
  Place next;
  for (const LegendEntry& entry : entries) {
    if (next.x > 0 && next.x + entry_width(entry) - kColumnGap > width) {
      next = {.row = next.row + 1, .x = 0};
    }
    result.push_back(next);
    next.x += entry_width(entry) + kColumnGap;
  }
  return result;
}

// A text that had to be shortened shows all of itself under the pointer.
void draw_entry(SvgWriter& svg, const LegendEntry& entry, double left, double top,
                const std::string& shown) {
  const double middle = top + kLegendRowHeight / 2;
  const double x = left + entry.mark_width + kTextGap;
  entry.mark(svg, left + entry.mark_width / 2, middle);
  if (shown == entry.text) {
    svg.text(x, middle + 4, "note", shown);
  } else {
    svg.text(x, middle + 4, "note", shown, entry.text);
  }
}

}  // namespace

LegendEntry patch_entry(const std::string& css_class, const std::string& text) {
  constexpr double kHeight = 10;
  return {.mark =
              [css_class](SvgWriter& svg, double x, double y) {
                svg.element("rect", {{"class", css_class},
                                     {"x", x - kMarkWidth / 2},
                                     {"y", y - kHeight / 2},
                                     {"width", kMarkWidth},
                                     {"height", kHeight}});
              },
          .text = text};
}

double legend_height(std::size_t entries, std::size_t per_row) {
  const std::size_t rows = (entries + per_row - 1) / per_row;
  return kLegendRowHeight * static_cast<double>(rows);
}

void draw_legend(SvgWriter& svg, const std::vector<LegendEntry>& entries, std::size_t per_row,
                 double left, double right, double top) {
  const double width = (right - left) / static_cast<double>(per_row);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const double room = width - entries[e].mark_width - kTextGap - kColumnGap;
    const std::size_t row = e / per_row;
    const std::size_t column = e % per_row;
    const double x = left + static_cast<double>(column) * width;
    const double y = top + kLegendRowHeight * static_cast<double>(row);
    draw_entry(svg, entries[e], x, y, shortened(entries[e].text, kNoteSize, room));
  }
}

/// As many columns as fit if every entry were as wide as the widest: entries in straight columns
/// are found more quickly than entries that are packed.
std::size_t legend_columns(const std::vector<LegendEntry>& entries, double width) {
  double widest = 1;
  for (const LegendEntry& entry : entries) widest = std::max(widest, entry_width(entry));
  return std::max<std::size_t>(1, static_cast<std::size_t>(width / widest));
}

double legend_rows_height(const std::vector<LegendEntry>& entries, double width) {
  if (entries.empty()) return 0;
  return kLegendRowHeight * static_cast<double>(places(entries, width).back().row + 1);
}

void draw_legend_rows(SvgWriter& svg, const std::vector<LegendEntry>& entries, double left,
                      double right, double top) {
  const std::vector<Place> at = places(entries, right - left);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const double room = right - left - entries[e].mark_width - kTextGap;
    draw_entry(svg, entries[e], left + at[e].x, top + kLegendRowHeight * at[e].row,
               shortened(entries[e].text, kNoteSize, room));
  }
}

}  // namespace poet::plot
