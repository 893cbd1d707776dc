#include "pictures/legend.hpp"

#include <algorithm>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

constexpr double kTextSize = 11;
constexpr double kTextGap = 6;
constexpr double kColumnGap = 12;

double entry_width(const LegendEntry& entry) {
  return kMarkWidth + kTextGap + estimated_width(entry.text, kTextSize) + kColumnGap;
}

void draw_entry(SvgWriter& svg, const LegendEntry& entry, double left, double top,
                const std::string& shown) {
  const double middle = top + kLegendRowHeight / 2;
  const double x = left + kMarkWidth + kTextGap;
  entry.mark(svg, left + kMarkWidth / 2, middle);
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
  const double room = width - kMarkWidth - kTextGap - kColumnGap;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const std::size_t row = e / per_row;
    const std::size_t column = e % per_row;
    const double x = left + static_cast<double>(column) * width;
    const double y = top + kLegendRowHeight * static_cast<double>(row);
    draw_entry(svg, entries[e], x, y, shortened(entries[e].text, kTextSize, room));
  }
}

/// As many columns as fit if every entry were as wide as the widest: entries in straight columns
/// are found more quickly than entries that are packed.
std::size_t legend_columns(const std::vector<LegendEntry>& entries, double width) {
  double widest = 1;
  for (const LegendEntry& entry : entries) widest = std::max(widest, entry_width(entry));
  return std::max<std::size_t>(1, static_cast<std::size_t>(width / widest));
}

void draw_legend_row(SvgWriter& svg, const std::vector<LegendEntry>& entries, double left,
                     double top) {
  double x = left;
  for (const LegendEntry& entry : entries) {
    draw_entry(svg, entry, x, top, entry.text);
    x += entry_width(entry) + kColumnGap;
  }
}

}  // namespace poet::plot
