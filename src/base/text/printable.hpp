#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace poet {

/// Text from a file or a command line made fit for a one-line message: hidden characters become
/// `\xNN`, byte by byte, so that no file can steer the reader's terminal, and anything beyond
/// `max_bytes` becomes `...` (cut between characters, never inside one).
std::string printable(std::string_view text, std::size_t max_bytes = 60);

/// How a message names the origin of a text: `stdin` for `-`, else `source`, made printable.
std::string shown_source(std::string_view source);

/// Offset of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7: no
/// overlong forms, no surrogates, nothing above U+10FFFF), or text.size() if all of it is.
std::size_t first_invalid_utf8(std::string_view text);

/// The bytes of the first character; 1 for a byte that is not part of well-formed UTF-8.
std::size_t character_length(std::string_view text);

/// Whether a character shows as nothing, or changes how others show: a control character, a byte
/// that is not UTF-8, a separator of lines, or a mark of the direction of writing, which makes a
/// name look like another one.
bool is_hidden(std::string_view character);

/// Whether a byte continues a character that an earlier byte has begun.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace poet
