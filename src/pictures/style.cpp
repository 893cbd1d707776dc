// The look that all pictures share. A picture is read on screens with either background and on
// paper, with any font, so nothing here may rely on one of them.
//
// Widths of texts are estimated by classes of characters, since the font is known only where the
// picture is shown. The estimate leans to the wide side: a text that is shorter than its room looks
// well, and one that is longer lies on its neighbour.

#include "pictures/style.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace poet::plot {
namespace {

// Plain classes and no custom properties, which many programs that show or convert SVG do not know.
// A class has one colour for each of the two modes.
constexpr std::string_view kLight =
    R"(    svg { background: #ffffff }
    text { font-family: Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328 }
    .title, .value { font-weight: bold }
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

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
// What DejaVu Sans, the widest of the fonts that the style sheet names, needs on average of each
// class; of Helvetica's letters, these are a tenth too wide.
constexpr double kNarrow = 0.37;
constexpr double kUsual = 0.635;
constexpr double kCapital = 0.78;
constexpr double kBroad = 0.95;
constexpr double kWide = 1.05;  ///< Chinese, Japanese, Korean, emoji

/// In multiples of the font size; `lead` is the first byte of a character.
double character_width(unsigned char lead) {
  constexpr std::string_view kThin = " .,:;!|'ijl()[]/-";
  constexpr std::string_view kBroadest = "mMW%@";
  if (lead >= 0xE3) return kWide;
  const char c = static_cast<char>(lead);
  if (kThin.find(c) != std::string_view::npos) return kNarrow;
  if (kBroadest.find(c) != std::string_view::npos) return kBroad;
  const bool is_capital = (c >= 'A' && c <= 'Z') || c == 'w' || c == '+' || c == '=' || c == '<';
  return is_capital ? kCapital : kUsual;
}

std::string_view first_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && continues_character(text[length])) ++length;
  return text.substr(0, length);
}

std::string_view last_character(std::string_view text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && continues_character(text[start])) --start;
  return text.substr(start);
}

}  // namespace

// One set of rules for light pages, and one that overrides it where the reader's screen is dark.
std::string style_sheet(const Look& look, std::string_view light, std::string_view dark) {
  std::string sheet(kLight);
  if (!look.width_mm) sheet += "    svg { max-width: 100%; height: auto }\n";
  sheet += fmt::format("    .title {{ font-size: {}px }}\n    .value {{ font-size: {}px }}\n",
                       look.title_size, look.value_size);
  sheet += light;
  if (look.theme == PictureTheme::light) return sheet;
  const bool decided = look.theme == PictureTheme::dark;
  if (!decided) sheet += "    @media screen and (prefers-color-scheme: dark) {\n";
  sheet += kDark;
  sheet += dark;
  return decided ? sheet : sheet + "    }\n";
}

double estimated_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) {
    if (!continues_character(c)) width += character_width(static_cast<unsigned char>(c));
  }
  return width * font_size;
}

std::vector<std::string> wrapped(std::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::string longer =
        lines.empty() ? std::string(word) : fmt::format("{} {}", lines.back(), word);
    if (!lines.empty() && estimated_width(longer, font_size) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(shortened(word, font_size, width));
    }
  }
  return lines;
}

// Characters are taken from both ends in turn, until the next one would not fit.
std::string shortened(std::string_view text, double font_size, double width) {
  if (estimated_width(text, font_size) <= width) return std::string(text);
  double room = width - estimated_width(kEllipsis, font_size);
  std::string_view middle = text;  // what is left out
  std::size_t front = 0;           // bytes kept on either side
  std::size_t back = 0;
  while (!middle.empty()) {
    const bool at_end = front > back;
    const std::string_view next = at_end ? last_character(middle) : first_character(middle);
    room -= estimated_width(next, font_size);
    if (room < 0) break;
    (at_end ? back : front) += next.size();
    middle = text.substr(front, text.size() - front - back);
  }
  return std::string(text.substr(0, front)) + std::string(kEllipsis) +
         std::string(text.substr(text.size() - back));
}

}  // namespace poet::plot
