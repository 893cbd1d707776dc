#include "base/text/escape.hpp"

#include "base/text/printable.hpp"

namespace poet {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// The length of the character at the start of well-formed text.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && continues_character(text[length])) ++length;
  return length;
}

/// U+0080 to U+009F are controls as well; U+FFFE and U+FFFF are noncharacters.
bool is_forbidden(std::string_view character) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte_at(0) < 0x20 || byte_at(0) == 0x7F;
  const bool control = byte_at(0) == 0xC2 && byte_at(1) < 0xA0;
  return control || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

std::string_view allowed(std::string_view character) {
  if (character == "\n" || character == "\r" || character == "\t") return " ";
  return is_forbidden(character) ? kReplacement : character;
}

}  // namespace

std::string xml_characters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t valid = first_invalid_utf8(text);
    while (valid > 0) {
      const std::size_t length = character_length(text.substr(0, valid));
      result += allowed(text.substr(0, length));
      text.remove_prefix(length);
      valid -= length;
    }
    if (text.empty()) break;
    result += kReplacement;
    text.remove_prefix(1);
  }
  return result;
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : xml_characters(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::string key_of_token(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    key += is_escape ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return key;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string(word);
  }
  std::string result(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  result += '\'';
  return result;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

}  // namespace poet
