#include "io/json/json_syntax.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/text/shown.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Kind = JsonFault::Kind;

constexpr std::size_t kNotFound = std::string_view::npos;

struct Finding {
  std::size_t offset = 0;
  std::string message;
};

// The last byte before `offset` that is not white space tells, for example, a missing comma from
// one too many.
char significant_byte_before(std::string_view text, std::size_t offset) {
  const std::size_t at = text.substr(0, offset).find_last_not_of(" \t\r\n");
  return at == kNotFound ? ' ' : text[at];
}

std::string_view expected_at(const JsonFault& fault, char before) {
  if (fault.complete) return "the end of the file";
  if (fault.container == '{') {
    if (fault.after_key) return before == ':' ? "a value" : "':' after the key";
    if (before == '{') return "a key in double quotes or '}'";
    return before == ',' ? "a key in double quotes" : "',' or '}'";
  }
  if (fault.container == '[') {
    if (before == '[') return "a value or ']'";
    return before == ',' ? "a value" : "',' or ']'";
  }
  return "a JSON object";
}

std::string broken_string(const JsonFault& fault, std::string_view text) {
  const std::string& words = fault.library_text;
  if (fault.end > text.size()) return "found the end of the file, expected '\"' to end the string";
  if (words.find("surrogate") < kNotFound) {
    return "found half of a surrogate pair, expected two \\u escapes that belong together";
  }
  if (words.find("hex digits") < kNotFound) {
    return "found an incomplete \\u escape, expected four hexadecimal digits";
  }
  if (words.find("backslash") < kNotFound) {
    return fmt::format(
        "found the escape '\\{}', expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u",
        shown(text.substr(fault.end - 1, 1)));
  }
  if (text[fault.end - 1] == '\n' || text[fault.end - 1] == '\r') {
    return "found the end of the line, expected '\"' to end the string";
  }
  return fmt::format("found a control character ({}) in a string, expected an escape such as \\t",
                     shown(text.substr(fault.end - 1, 1)));
}

bool ends_word(char c) {
  return std::string_view(" \t\r\n,:[]{}\"").find(c) < kNotFound;
}

// The word or number around an offset, whole: a misread NaN or tru is shown to its end. Where
// the parser stopped at the byte after the word, that byte does not belong to it.
std::string_view word_around(std::string_view text, std::size_t last) {
  std::size_t start = last;
  if (ends_word(text[start]) && start > 0 && !ends_word(text[start - 1])) --start;
  while (start > 0 && !ends_word(text[start - 1])) --start;
  const std::string_view rest = text.substr(start);
  const std::size_t length = std::min(rest.find_first_of(" \t\r\n,:[]{}\""), rest.size());
  return rest.substr(0, std::max<std::size_t>(length, 1));
}

// The bytes of the token that the parser could not use; empty at the end of the text.
std::string_view offending_token(const JsonFault& fault, std::string_view text) {
  const bool at_end = fault.end > text.size();
  if (fault.kind == Kind::unexpected_token) {
    if (at_end) return text.substr(text.size());
    const char last = text[fault.end - 1];
    if (last == '"') return text.substr(fault.end - fault.token.size(), fault.token.size());
    if (ends_word(last)) return text.substr(fault.end - 1, 1);
  }
  return word_around(text, std::min(fault.end, text.size()) - 1);
}

Finding find(const JsonFault& fault, std::string_view text) {
  if (fault.kind == Kind::broken_string) {
    return {std::min(fault.end - 1, text.size()), broken_string(fault, text)};
  }
  const std::string_view token = offending_token(fault, text);
  const auto start = static_cast<std::size_t>(token.data() - text.data());
  if (fault.kind == Kind::number_range) {
    return {start, fmt::format("found the number {}, expected at most 1.797e308 in magnitude",
                               shown(token))};
  }
  const std::string_view expected = expected_at(fault, significant_byte_before(text, start));
  if (token.empty())
    return {start, fmt::format("found the end of the file, expected {}", expected)};
  const std::string_view quote = token.front() == '"' ? "" : "'";
  return {start,
          fmt::format("found {}{}{}, expected {}", quote, shown(token, 40), quote, expected)};
}

}  // namespace

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  const std::string_view columns = before.substr(line_start);
  const auto column = 1 + std::count_if(columns.begin(), columns.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                      });
  return fmt::format("{}:{}", line, column);
}

void throw_json_fault(const JsonFault& fault, std::string_view text, std::string_view source) {
  const Finding finding = find(fault, text);
  throw InputError(
      fmt::format("{}:{}", shown_source(source), line_and_column(text, finding.offset)),
      finding.message);
}

}  // namespace poet
