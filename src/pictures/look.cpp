// A picture for paper is laid out for its width, not scaled to it: scaling makes text too small to
// read in a column of 84 mm. So there are two pages with sizes of their own, and lengths in layout
// pixels for both.

#include "pictures/look.hpp"

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::plot {
namespace {

constexpr double kPointsPerMm = 72 / 25.4;

double layout_width(double width_mm) {
  // Written so that a width that is not a number is refused as well.
  if (!(width_mm >= kMinPictureMm && width_mm <= kMaxPictureMm)) {
    throw InputError("width", fmt::format("found {:.6g} mm; expected {:.6g} to {:.6g} mm", width_mm,
                                          kMinPictureMm, kMaxPictureMm));
  }
  return width_mm * kPointsPerMm / kPointsPerPixel;
}

}  // namespace

// Margins on paper are next to nothing, as the page has its own.
Look make_look(const PictureOptions& options, double screen_width) {
  if (!options.width_mm) {
    return {.theme = options.theme,
            .width = screen_width,
            .margin = 24,
            .title_size = 20,
            .value_size = 16};
  }
  return {.width_mm = options.width_mm,
          .theme = options.theme,
          .width = layout_width(*options.width_mm),
          .margin = 2,
          .title_size = 14,
          .value_size = 12};
}

}  // namespace poet::plot
