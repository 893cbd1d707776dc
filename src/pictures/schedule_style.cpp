// Colours and hatches of tensors. There are seven colours that readers with any common colour
// vision can tell apart, so a colour says which tensor or kind of layer, and a hatch that it
// belongs to the backward pass. Hatches are patterns of the document, and patterns take their
// colours from classes, so that dark screens need no second set.

#include "pictures/schedule_style.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "pictures/style.hpp"

namespace poet::plot {
namespace {

/// In an order in which neighbours differ in brightness as well.
constexpr std::array<std::string_view, kBandColours> kColours{
    "#56b4e9", "#d55e00", "#f0e442", "#0072b2", "#e69f00", "#009e73", "#cc79a7"};

constexpr std::string_view kLightSchedule = R"(    .band { stroke: #ffffff; stroke-width: 0.5 }
    .unseen { fill-opacity: 0 }
    .stripe { fill: #ffffff; fill-opacity: 0.6 }
    .rest { fill: #b4bcc5 }
    .soft { fill: #a39787 }
    .rest-backward { fill: url(#rest-backward) }
    .paging { fill: #aa3377 }
    .mark { fill: #aa3377 }
    .stored { stroke: #aa3377 }
    .total { fill: none; stroke: #1f2328; stroke-width: 1.2 }
)";

constexpr std::string_view kDarkSchedule = R"(      .band { stroke: #15181c }
      .stripe { fill: #15181c; fill-opacity: 0.5 }
      .rest { fill: #6a7581 }
      .soft { fill: #a89c8b }
      .paging { fill: #ee88bb }
      .mark { fill: #ee88bb }
      .stored { stroke: #ee88bb }
      .total { stroke: #f0f3f6 }
)";

std::string colour_rules() {
  std::string rules;
  for (std::size_t k = 0; k < kBandColours; ++k) {
    rules += fmt::format("    .{0} {{ fill: {1} }}\n    .{2} {{ fill: url(#{2}) }}\n",
                         band_class(k, false), kColours[k], band_class(k, true));
  }
  return rules;
}

void write_hatch(SvgWriter& svg, std::string_view id, std::string_view ground) {
  svg.open("pattern", {{"id", id},
                       {"width", 5},
                       {"height", 5},
                       {"patternUnits", "userSpaceOnUse"},
                       {"patternTransform", "rotate(45)"}});
  svg.element("rect", {{"class", ground}, {"width", 5}, {"height", 5}});
  svg.element("rect", {{"class", "stripe"}, {"width", 2}, {"height", 5}});
  svg.close();
}

}  // namespace

std::string band_class(std::size_t k, bool backward) {
  return fmt::format("{}{}", backward ? "hatched" : "plain", k);
}

std::string schedule_style_sheet(const Look& look) {
  return style_sheet(look, std::string(kLightSchedule) + colour_rules(), kDarkSchedule);
}

void write_schedule_patterns(SvgWriter& svg) {
  svg.open("defs");
  for (std::size_t k = 0; k < kBandColours; ++k) {
    write_hatch(svg, band_class(k, true), band_class(k, false));
  }
  write_hatch(svg, kRestBackwardClass, kRestClass);
  svg.close();
}

}  // namespace poet::plot
