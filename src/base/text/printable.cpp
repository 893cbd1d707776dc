#include "base/text/printable.hpp"

#include <fmt/format.h>

namespace poet {
namespace {

struct Lead {
  std::size_t length = 0;     ///< bytes of the character, 0 for a byte that cannot start one
  unsigned char low = 0x80;   ///< range of the second byte, which excludes overlong forms,
  unsigned char high = 0xBF;  ///< surrogates and what lies beyond U+10FFFF
};

/// Table 3-7 of the Unicode standard: which bytes may start a character, and what may follow.
Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {.length = 1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.length = 2};
  if (byte == 0xE0) return {.length = 3, .low = 0xA0};
  if (byte == 0xED) return {.length = 3, .high = 0x9F};
  if (byte < 0xF0) return {.length = 3};
  if (byte == 0xF0) return {.length = 4, .low = 0x90};
  if (byte < 0xF4) return {.length = 4};
  if (byte == 0xF4) return {.length = 4, .high = 0x8F};
  return {};
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t at = 0;
  while (at < text.size()) {
    const Lead lead = lead_of(byte_at(at));
    if (lead.length == 0 || lead.length > text.size() - at) return at;
    for (std::size_t k = 1; k < lead.length; ++k) {
      const unsigned char low = k == 1 ? lead.low : 0x80;
      const unsigned char high = k == 1 ? lead.high : 0xBF;
      if (byte_at(at + k) < low || byte_at(at + k) > high) return at;
    }
    at += lead.length;
  }
  return at;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
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
  constexpr std::size_t kMaxPathLength = 4096;
  return source == "-" ? "stdin" : printable(source, kMaxPathLength);
}

}  // namespace poet
