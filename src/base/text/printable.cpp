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

std::size_t character_length(std::string_view text) {
  const std::size_t length = lead_of(static_cast<unsigned char>(text.front())).length;
  const bool is_whole =
      length > 0 && length <= text.size() && first_invalid_utf8(text.substr(0, length)) == length;
  return is_whole ? length : 1;
}

bool is_hidden(std::string_view character) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte_at(0) < 0x20 || byte_at(0) >= 0x7F;
  if (character.size() == 2) {
    return (byte_at(0) == 0xC2 && byte_at(1) < 0xA0) || character == "\u061C";
  }
  if (character.starts_with("\xE2\x80")) {
    return byte_at(2) == 0x8E || byte_at(2) == 0x8F || (byte_at(2) >= 0xA8 && byte_at(2) <= 0xAE);
  }
  return character.starts_with("\xE2\x81") && byte_at(2) >= 0xA6 && byte_at(2) <= 0xA9;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  const bool cut = text.size() > max_bytes;
  if (cut) {
    std::size_t end = max_bytes;
    while (end > 0 && continues_character(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string result;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, character_length(text));
    text.remove_prefix(character.size());
    if (!is_hidden(character)) {
      result += character;
      continue;
    }
    for (const char c : character) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
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
