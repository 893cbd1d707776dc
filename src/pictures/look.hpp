#pragma once

#include <optional>

#include "poet/plot.hpp"

namespace poet::plot {

/// The size of a layout pixel on paper. The smallest text has kSmallestSize pixels, which makes a
/// little more than 6 pt.
inline constexpr double kPointsPerPixel = 0.605;

/// The page that a picture is laid out for. All lengths are layout pixels: CSS pixels on a screen,
/// kPointsPerPixel on paper. A picture for paper is laid out anew for the width of its page and
/// never scaled, so its text keeps its size.
struct Look {
  std::optional<double> width_mm;  ///< on paper
  PictureTheme theme = PictureTheme::automatic;
  double width = 0;
  double margin = 0;  ///< around the picture; on paper the page has its own
  double title_size = 0;
  double value_size = 0;

  double left() const { return margin; }
  double right() const { return width - margin; }
  double room() const { return width - 2 * margin; }
  /// Whether the page is a column of text, with little room for labels beside a chart.
  bool narrow() const { return width < 600; }
};

/// Returns the page that the options ask for; on a screen it has this width. Throws InputError for
/// a width out of range.
Look make_look(const PictureOptions& options, double screen_width);

}  // namespace poet::plot
