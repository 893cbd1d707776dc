#pragma once

#include <string>

#include "pictures/svg_writer.hpp"

namespace poet::plot {

/// The class of a curve's line. Curves differ in colour, in dashes and in the shape of their
/// points, so that they can be told apart in one colour too.
std::string curve_class(int style);

/// The class of the bar from a point to its bound.
std::string bar_class(int style);

/// Draws a point of a curve: filled if it is proven, else hollow.
void draw_point(SvgWriter& svg, int style, bool proven, double x, double y, const std::string& tip);

/// Draws the mark of a budget without a schedule: a cross if none exists, a question mark if none
/// was found.
void draw_cross(SvgWriter& svg, int style, double x, double y, const std::string& tip);

void draw_question(SvgWriter& svg, int style, double x, double y, const std::string& tip);

/// The style sheet of pictures with curves.
std::string sweep_style_sheet();

}  // namespace poet::plot
