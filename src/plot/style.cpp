#include "plot/style.hpp"

#include <string_view>

namespace poet::plot {
namespace {

// Plain classes and no custom properties: these a good many programs that show or convert SVG do
// not know. A class has one colour for each of the two modes.
constexpr std::string_view kLight = R"(    svg { max-width: 100%; height: auto; background: #ffffff }
    text { font-family: Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328 }
    .title { font-size: 20px; font-weight: bold }
    .value { font-size: 16px; font-weight: bold }
    .note, .axis, .lane { font-size: 11px; fill: #59636e }
    .lane { font-size: 10px }
    .strong { font-weight: bold }
    .halo { stroke: #ffffff; stroke-width: 4; paint-order: stroke }
    .end { text-anchor: end }
    .middle { text-anchor: middle }
    .paper { fill: #ffffff }
    .grid, .edge, .budget, .boundary, .stored { fill: none }
    .grid { stroke: #e4e8ec }
    .edge { stroke: #8c959f }
    .budget { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 7 3 }
    .boundary { stroke: #59636e; stroke-dasharray: 2 3 }
    .stored { stroke: #59636e; stroke-dasharray: 3 2 }
    .ink { fill: #1f2328 }
    .mark { fill: #1f2328; stroke: #ffffff; stroke-width: 1; paint-order: stroke }
)";

constexpr std::string_view kDark = R"(      svg { background: #15181c }
      text { fill: #e6edf3 }
      .note, .axis, .lane { fill: #9aa4af }
      .paper { fill: #15181c }
      .halo { stroke: #15181c }
      .grid { stroke: #2a3037 }
      .edge { stroke: #6e7781 }
      .budget { stroke: #e6edf3 }
      .boundary, .stored { stroke: #9aa4af }
      .ink { fill: #f0f3f6 }
      .mark { fill: #f0f3f6; stroke: #15181c }
)";

}  // namespace

std::string style_sheet(std::string_view light, std::string_view dark) {
  std::string sheet(kLight);
  sheet += light;
  sheet += "    @media screen and (prefers-color-scheme: dark) {\n";
  sheet += kDark;
  sheet += dark;
  return sheet + "    }\n";
}

}  // namespace poet::plot
