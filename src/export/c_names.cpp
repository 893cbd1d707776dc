// Words of a model inside C. A model file may name a layer with any characters, and the names come
// from users: none may end a comment, start a directive or become a second definition. Numbers are
// written so that every compiler reads the same bits.

#include "export/c_names.hpp"

#include <cmath>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

/// Names are cut there: the words around them stay readable, and compilers limit identifiers.
constexpr std::size_t kLongestName = 40;
/// Compilers have to take strings of 4095 characters; an escaped byte has four.
constexpr std::size_t kLongestText = 1000;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_upper_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

// The number is looked for one by one, which is quadratic in equal names; models hardly have any.
std::string Identifiers::add(std::string_view name) {
  std::string word;
  for (const char c : name.substr(0, kLongestName)) {
    if (is_lower(c)) {
      word += static_cast<char>(c - 'a' + 'A');
    } else {
      word += is_upper_or_digit(c) ? c : '_';
    }
  }
  std::string unique = word;
  for (int i = 2; !taken_.insert(unique).second; ++i) unique = fmt::format("{}_{}", word, i);
  return unique;
}

// A comment need not be exact, so all that could mean something to a compiler becomes _.
std::string comment_text(std::string_view text) {
  std::string safe;
  for (const char c : text.substr(0, kLongestText)) {
    const bool is_plain = is_lower(c) || is_upper_or_digit(c) ||
                          std::string_view(" _-+.,:;()[]<>=").find(c) != std::string_view::npos;
    safe += is_plain ? c : '_';
  }
  return safe;
}

// A string is exact: other bytes are octal numbers, and so is ?, which can begin a trigraph.
std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text.substr(0, kLongestText)) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    if (is_plain) {
      literal += c;
    } else {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return literal + "\"";
}

/// fmt writes the shortest digits that read back as the same float, without a point if there is no
/// fraction; C wants one.
std::string float_literal(float value) {
  if (!std::isfinite(value)) throw InternalError("a geometry is not finite");
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + "f";
}

std::string exact_float_literal(float value) {
  if (!std::isfinite(value)) throw InternalError("a constant is not finite");
  return fmt::format("{:a}f", value);
}

}  // namespace poet
