#include "pictures/schedule_style.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

/// In an order in which neighbours differ in brightness as well. Twelve fills of seven colours: a
/// colour comes twice at most, plain and striped.
constexpr std::array<std::string_view, 7> kBandColours{"#56b4e9", "#d55e00", "#f0e442", "#0072b2",
                                                       "#e69f00", "#009e73", "#cc79a7"};
static_assert(kBandStyles <= 2 * kBandColours.size());

constexpr std::string_view kLightSchedule = R"(    .band { stroke: #ffffff; stroke-width: 0.5 }
    .cell { shape-rendering: crispEdges }
    .stripe { fill: #ffffff; fill-opacity: 0.6 }
    .rest { fill: #b4bcc5 }
    .soft { fill: #a39787 }
    .rest-backward { fill: url(#backward) }
)";

constexpr std::string_view kDarkSchedule = R"(      .band { stroke: #15181c }
      .stripe { fill: #15181c }
      .rest { fill: #59636e }
      .soft { fill: #a89c8b }
)";

std::string colour_rules() {
  std::string rules;
  for (std::size_t k = 0; k < kBandColours.size(); ++k) {
    rules += fmt::format("    .{} {{ fill: {} }}\n", band_class(k), kBandColours[k]);
  }
  for (std::size_t k = kBandColours.size(); k < kBandStyles; ++k) {
    rules += fmt::format("    .{0} {{ fill: url(#{0}) }}\n", band_class(k));
  }
  return rules;
}

void write_stripes(SvgWriter& svg, std::string_view id, std::string_view ground, int degrees) {
  svg.open("pattern", {{"id", id},
                       {"width", 5},
                       {"height", 5},
                       {"patternUnits", "userSpaceOnUse"},
                       {"patternTransform", fmt::format("rotate({})", degrees)}});
  svg.element("rect", {{"class", ground}, {"width", 5}, {"height", 5}});
  svg.element("rect", {{"class", "stripe"}, {"width", 2}, {"height", 5}});
  svg.close();
}

}  // namespace

std::string band_class(std::size_t k) {
  return fmt::format("band{}", k);
}

std::string schedule_style_sheet() {
  return style_sheet(std::string(kLightSchedule) + colour_rules(), kDarkSchedule);
}

void write_schedule_patterns(SvgWriter& svg) {
  svg.open("defs");
  for (std::size_t k = kBandColours.size(); k < kBandStyles; ++k) {
    write_stripes(svg, band_class(k), band_class(k - kBandColours.size()), 45);
  }
  write_stripes(svg, "backward", "soft", -45);
  svg.close();
}

}  // namespace poet::plot
