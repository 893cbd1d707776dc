#pragma once

#include <string>
#include <string_view>

#include "pictures/look.hpp"
#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// The colour of a set of techniques, which is the same in all panels and pictures: an index into
/// the colours of curves. What limits transfers may follow the techniques after a comma.
int technique_colour(std::string_view techniques);

/// How a curve is drawn: its colour stands for techniques alone, the shape of its points for these
/// and for what limits transfers, so that sets can be told apart in one colour too, and its dash
/// for a runtime budget.
struct CurveStyle {
  int colour = 0;
  int shape = 0;
  int dash = 0;
  bool small = false;  ///< points of many curves in one panel
};

/// The class of a curve's line.
std::string curve_class(const CurveStyle& style);

/// The class of a line that shows a dash in no colour.
std::string dash_class(int dash);

/// Draws a point of a curve: filled if it is proven, else hollow.
void draw_point(SvgWriter& svg, const CurveStyle& style, bool proven, double x, double y,
                const std::string& tip);

/// Draws the bar from a point that is not proven to its bound.
void draw_bar(SvgWriter& svg, const CurveStyle& style, double x, double y, double bound);

/// Draws the mark of a budget without a schedule: a cross if none exists, a question mark if none
/// was found.
void draw_cross(SvgWriter& svg, const CurveStyle& style, double x, double y,
                const std::string& tip);

void draw_question(SvgWriter& svg, const CurveStyle& style, double x, double y,
                   const std::string& tip);

/// The style sheet of pictures with curves.
std::string sweep_style_sheet(const Look& look);

}  // namespace poet::plot
