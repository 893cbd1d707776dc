#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// One entry: a mark and what it stands for.
struct LegendEntry {
  /// Draws around (x, y), within kMarkWidth and a little less in height.
  std::function<void(SvgWriter& svg, double x, double y)> mark;
  std::string text;
};

inline constexpr double kMarkWidth = 14;

/// A mark that is a filled rectangle.
LegendEntry patch_entry(const std::string& css_class, const std::string& text);

inline constexpr double kLegendRowHeight = 18;

/// Entries in rows of equal columns; texts that do not fit are shortened.
double legend_height(std::size_t entries, std::size_t per_row);
void draw_legend(SvgWriter& svg, const std::vector<LegendEntry>& entries, std::size_t per_row,
                 double left, double right, double top);

/// As many entries to a row as the longest text allows.
std::size_t legend_columns(const std::vector<LegendEntry>& entries, double width);

/// Entries in one row, each as wide as its text.
void draw_legend_row(SvgWriter& svg, const std::vector<LegendEntry>& entries, double left,
                     double top);

}  // namespace poet::plot
