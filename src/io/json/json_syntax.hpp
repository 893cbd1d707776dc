#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace poet {

/// What a parser knew when a text stopped being JSON.
struct JsonFault {
  enum class Kind { unexpected_token, broken_string, broken_word, number_range };
  Kind kind = Kind::unexpected_token;
  std::size_t end = 0;       ///< offset just after the last byte read; beyond the text at its end
  std::string token;         ///< the bytes read last, reliable for a string that was read whole
  std::string library_text;  ///< the JSON library's own words, to tell broken strings apart
  char container = ' ';      ///< innermost open bracket: `{`, `[`, or a blank outside of all
  bool after_key = false;    ///< in an object, a member's name was read and its value was not
  bool complete = false;     ///< the outermost value was read to its end
};

/// `line:column` of a byte offset, both from 1; columns count characters, not bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

/// Throws InputError with `source:line:column: found ..., expected ...`.
[[noreturn]] void throw_json_fault(const JsonFault& fault, std::string_view text,
                                   std::string_view source);

}  // namespace poet
