// The layout of our documents. The library writes all on one line, or each number of a list on a
// line of its own; neither suits a schedule of hundreds of stages. It also writes null for a number
// that is not finite, so such numbers are looked for first. Numbers are the library's: the shortest
// digits that read back as the same double.

#include "formats/json/json_text.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

void check_finite(const Json& value, const std::string& path) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw InternalError(path + ": the number to be written is not finite");
  }
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    check_finite(member, fmt::format("{}/{}", path, key));
  }
}

/// Hidden characters as JSON's escapes, which only texts can have.
std::string escaped_json(std::string text) {
  if (text.find_first_of("\x7F\xC2\xD8\xE2") == std::string::npos) return text;
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, character_length(rest));
    rest.remove_prefix(character.size());
    if (!is_hidden(character)) {
      result += character;
      continue;
    }
    // All of them are below U+10000, so that the bytes after the first have six bits each.
    unsigned code = static_cast<unsigned char>(character[0]) & (0xFFU >> character.size());
    for (const char next : character.substr(1)) code = code << 6U | (next & 0x3F);
    result += fmt::format("\\u{:04x}", code);
  }
  return result;
}

std::string scalar(const Json& value) {
  return escaped_json(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Writes a value on one line, with a blank after each comma and colon.
void write_line(std::string& out, const Json& value) {
  if (!value.is_structured()) {
    out += scalar(value);
    return;
  }
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    if (!first) out += ", ";
    first = false;
    if (value.is_object()) out += scalar(key) + ": ";
    write_line(out, member);
  }
  out += value.is_object() ? '}' : ']';
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

/// Objects and lists of objects take a line per member, so that `diff` shows what differs between
/// two schedules; lists of numbers stay on one line.
void write(std::string& out, const Json& value, const std::string& indent) {
  const bool expand = (value.is_object() && !value.empty()) || is_list_of_objects(value);
  if (!expand) return write_line(out, value);
  const std::string inner = indent + "  ";
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    out += (first ? "\n" : ",\n") + inner;
    first = false;
    if (value.is_object()) {
      out += scalar(key) + ": ";
      write(out, member, inner);
    } else {
      write_line(out, member);
    }
  }
  out += "\n" + indent;
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string json_write(const Json& document, bool compact) {
  check_finite(document, "");
  if (compact) return scalar(document) + "\n";
  std::string out;
  write(out, document, "");
  return out + "\n";
}

}  // namespace poet
