#include "app/plot_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

/// The number of `84mm`.
std::optional<double> millimetres(std::string_view text) {
  constexpr std::string_view kUnit = "mm";
  if (!text.ends_with(kUnit)) return std::nullopt;
  text.remove_suffix(kUnit.size());
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  if (!(number >= kMinPictureMm && number <= kMaxPictureMm)) return std::nullopt;
  return number;
}

/// A picture for paper is light unless it is asked to be otherwise: it may be seen on a dark screen
/// first, in a page that is white all the same.
PictureTheme theme_of(const PlotArguments& arguments) {
  if (arguments.theme == "dark") return PictureTheme::dark;
  if (arguments.theme == "light") return PictureTheme::light;
  const bool usual = arguments.theme.empty();
  return usual && !arguments.width.empty() ? PictureTheme::light : PictureTheme::automatic;
}

/// The place of a word in a list that has the order of an enum; the first one for none.
template <typename Enum, std::size_t kCount>
Enum choice(const std::string& word, const std::array<std::string_view, kCount>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? Enum{} : static_cast<Enum>(found - words.begin());
}

constexpr std::array<std::string_view, 4> kLanes{"all", "forward", "changed", "none"};
constexpr std::array<std::string_view, 3> kColumns{"computation", "time", "energy"};

}  // namespace

PictureOptions picture_options(const PlotArguments& arguments) {
  PictureOptions options{.title = !arguments.no_title,
                         .theme = theme_of(arguments),
                         .lanes = choice<LaneChoice>(arguments.lanes, kLanes),
                         .columns = choice<ColumnWidth>(arguments.x_axis, kColumns)};
  if (arguments.width.empty()) return options;
  options.width_mm = millimetres(arguments.width);
  if (!options.width_mm) {
    throw InputError("--width",
                     fmt::format("found '{}'; expected a width from {}mm to {}mm",
                                 printable(arguments.width, 80), kMinPictureMm, kMaxPictureMm));
  }
  return options;
}

}  // namespace poet::cli
