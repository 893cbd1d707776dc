// Marks of curves. A reader who has learnt in one figure that orange is recomputation reads the
// next one by it, so a colour belongs to a set of techniques and not to a place in a list. It does
// not carry that to every reader or through a copier, so each entry of a legend has a shape of
// points as well.

#include "pictures/sweep_style.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

// Okabe and Ito's colours without the yellow, which is too bright for lines on white.
constexpr std::array<std::string_view, 6> kCurveColours{"#0072b2", "#d55e00", "#009e73",
                                                        "#cc79a7", "#e69f00", "#56b4e9"};
constexpr int kShapes = 5;

/// The words of legends, and of the option --techniques.
constexpr std::array<std::pair<std::string_view, int>, 10> kTechniqueColours{
    {{"remat + paging", 0},
     {"remat+paging", 0},
     {"both", 0},
     {"remat only", 1},
     {"remat", 1},
     {"paging only", 2},
     {"paging", 2},
     {"neither remat nor paging", 3},
     {"none", 3},
     {"", 0}}};
constexpr int kOtherColour = 4;

/// In the order of budgets, from the tightest on.
constexpr std::array<std::string_view, 6> kDashes{"none",    "8 3",  "2 2.5",
                                                  "8 3 2 3", "14 4", "5 2 1.5 2 1.5 2"};

constexpr std::string_view kLightSweep =
    R"(    .curve { fill: none; stroke-width: 2; stroke-linejoin: round }
    .many { stroke-width: 1.3 }
    .dash { fill: none; stroke: #1f2328; stroke-width: 1.5 }
    .bar { fill: none; stroke-width: 1.5 }
    .hollow { fill: #ffffff; stroke-width: 1.5 }
    .infeasible { fill: url(#infeasible) }
    .shade { fill: #d5cabb }
)";

// On a dark ground only the darkest colour of curves needs another one in its place.
constexpr std::string_view kDarkSweep = R"(      .hollow { fill: #15181c }
      .shade { fill: #5c554b }
      .dash { stroke: #f0f3f6 }
      .line0 { stroke: #3a94d8 }
      .dot0 { fill: #3a94d8 }
)";

int colour_of(const CurveStyle& style) {
  return style.colour % static_cast<int>(kCurveColours.size());
}

int shape_of(const CurveStyle& style) {
  return style.shape % kShapes;
}

/// Curves may lie on each other; a later one, drawn on top, has smaller points.
double size_of(const CurveStyle& style) {
  const double size = 5.5 - 0.6 * shape_of(style);
  return style.small ? 0.6 * size : size;
}

std::string diamond(double x, double y, double size) {
  const double reach = 1.3 * size;
  return PathData()
      .move(x - reach, y)
      .line(x, y - reach)
      .line(x + reach, y)
      .line(x, y + reach)
      .close()
      .text();
}

std::string square(double x, double y, double size) {
  return PathData()
      .move(x - size, y - size)
      .horizontal(x + size)
      .vertical(y + size)
      .horizontal(x - size)
      .close()
      .text();
}

std::string shape(const CurveStyle& style, double x, double y) {
  const double size = size_of(style);
  switch (shape_of(style)) {
    case 1:
      return square(x, y, size);
    case 2:
      return triangle(x, y, 1.3 * size, false);
    case 3:
      return diamond(x, y, size);
    default:
      return triangle(x, y, 1.3 * size, true);
  }
}

/// The class of the bar from a point to its bound, and of other marks that are lines.
std::string bar_class(const CurveStyle& style) {
  return fmt::format("bar line{}", colour_of(style));
}

}  // namespace

int technique_colour(std::string_view techniques) {
  const std::string_view base = techniques.substr(0, techniques.find(','));
  for (const auto& [words, colour] : kTechniqueColours) {
    if (words == base) return colour;
  }
  return kOtherColour;
}

std::string curve_class(const CurveStyle& style) {
  return fmt::format("curve line{} dash{}{}", colour_of(style),
                     style.dash % static_cast<int>(kDashes.size()), style.small ? " many" : "");
}

std::string dash_class(int dash) {
  return fmt::format("dash dash{}", dash % static_cast<int>(kDashes.size()));
}

// A point that is not proven is hollow: the difference has to show without colours.
void draw_point(SvgWriter& svg, const CurveStyle& style, bool proven, double x, double y,
                const std::string& tip) {
  const std::string css_class = fmt::format(
      "{} line{}", proven ? fmt::format("dot{}", colour_of(style)) : "hollow", colour_of(style));
  if (shape_of(style) == 0) {
    svg.element("circle", {{"class", css_class}, {"cx", x}, {"cy", y}, {"r", size_of(style)}}, tip);
  } else {
    svg.element("path", {{"class", css_class}, {"d", shape(style, x, y)}}, tip);
  }
}

// The bar is what is left to prove, from the energy that was found down to the bound.
void draw_bar(SvgWriter& svg, const CurveStyle& style, double x, double y, double bound) {
  constexpr double kFoot = 3;
  svg.element("path", {{"class", bar_class(style)},
                       {"d", PathData()
                                 .move(x, y)
                                 .vertical(bound)
                                 .move(x - kFoot, bound)
                                 .horizontal(x + kFoot)
                                 .text()}});
}

void draw_cross(SvgWriter& svg, const CurveStyle& style, double x, double y,
                const std::string& tip) {
  constexpr double kReach = 3.5;
  svg.element("path",
              {{"class", bar_class(style)},
               {"d", PathData()
                         .move(x - kReach, y - kReach)
                         .line(x + kReach, y + kReach)
                         .move(x - kReach, y + kReach)
                         .line(x + kReach, y - kReach)
                         .text()}},
              tip);
}

void draw_question(SvgWriter& svg, const CurveStyle& style, double x, double y,
                   const std::string& tip) {
  svg.text(x, y + 4, fmt::format("middle strong dot{}", colour_of(style)), "?", tip);
}

std::string sweep_style_sheet(const Look& look) {
  std::string rules(kLightSweep);
  for (std::size_t k = 0; k < kCurveColours.size(); ++k) {
    rules += fmt::format("    .line{0} {{ stroke: {1} }}\n    .dot{0} {{ fill: {1} }}\n", k,
                         kCurveColours[k]);
  }
  for (std::size_t k = 0; k < kDashes.size(); ++k) {
    rules += fmt::format("    .dash{} {{ stroke-dasharray: {} }}\n", k, kDashes[k]);
  }
  return style_sheet(look, rules, kDarkSweep);
}

}  // namespace poet::plot
