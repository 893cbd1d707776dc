#include "io/text/shown.hpp"

#include <fmt/format.h>

#include "io/text/utf8.hpp"

namespace poet {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

std::string shown(std::string_view text, std::size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  if (cut) {
    std::size_t end = max_bytes;
    while (end > 0 && continues_character(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string result;
  for (const char c : text) {
    if (is_control(c)) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  if (cut) result += "...";
  return result;
}

std::string shown_source(std::string_view source) {
  constexpr std::size_t kLongestPath = 4096;
  return source == "-" ? "stdin" : shown(source, kLongestPath);
}

}  // namespace poet
