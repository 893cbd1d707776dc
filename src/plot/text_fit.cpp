#include "plot/text_fit.hpp"

#include "io/text/utf8.hpp"

namespace poet::plot {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr double kNarrow = 0.35;
constexpr double kUsual = 0.58;
constexpr double kCapital = 0.72;
constexpr double kWide = 1.05;  ///< Chinese, Japanese, Korean, emoji

/// In multiples of the font size; `lead` is the first byte of a character.
double character_width(unsigned char lead) {
  constexpr std::string_view kThin = " .,:;!|'ijl()[]/";
  if (lead >= 0xE3) return kWide;
  const char c = static_cast<char>(lead);
  if (kThin.find(c) != std::string_view::npos) return kNarrow;
  const bool broad = (c >= 'A' && c <= 'Z') || c == 'm' || c == 'w' || c == '%' || c == '+';
  return broad ? kCapital : kUsual;
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

double estimated_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) {
    if (!continues_character(c)) width += character_width(static_cast<unsigned char>(c));
  }
  return width * font_size;
}

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
