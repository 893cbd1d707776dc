#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pictures/svg_writer.hpp"

namespace poet::plot {

inline constexpr double kMarkWidth = 14;

/// One entry: a mark and what it stands for.
struct LegendEntry {
  /// Draws around (x, y), within `mark_width` and kMarkWidth in height.
  std::function<void(SvgWriter& svg, double x, double y)> mark;
  std::string text;
  double mark_width = kMarkWidth;
};

/// A mark that is a filled rectangle.
LegendEntry patch_entry(const std::string& css_class, const std::string& text);

inline constexpr double kLegendRowHeight = 18;

/// Entries in rows of equal columns; texts that do not fit are shortened.
double legend_height(std::size_t entries, std::size_t per_row);
void draw_legend(SvgWriter& svg, const std::vector<LegendEntry>& entries, std::size_t per_row,
                 double left, double right, double top);

/// As many entries to a row as the longest text allows.
std::size_t legend_columns(const std::vector<LegendEntry>& entries, double width);

/// Entries in as few rows as they fit, each entry as wide as its text.
double legend_rows_height(const std::vector<LegendEntry>& entries, double width);
void draw_legend_rows(SvgWriter& svg, const std::vector<LegendEntry>& entries, double left,
                      double right, double top);

}  // namespace poet::plot
