// The grammar of errors about JSON: the place, what was found, what was expected. Every reader of
// this folder goes through cursors, so that no message lacks its place and no reader asks the
// library for a value of the wrong type, which would throw without one. A cursor is a pointer and a
// path. Paths are built on the way down, whether they are needed or not; files of ours have at most
// a few levels, and an error without its place would cost a user more.

#include "formats/json/json_cursor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/json/json_text.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using nlohmann::json;

// What is quoted is cut and made printable: a message is one line for any file.
std::string found(const json& value) {
  switch (value.type()) {
    case json::value_t::string:
      return fmt::format("a string (\"{}\")", printable(value.get_ref<const std::string&>(), 40));
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return fmt::format("an array of {}", value.size());
    case json::value_t::null:
    case json::value_t::boolean:
      return value.dump();
    default:
      return "the number " + value.dump();
  }
}

// Whole numbers may be written as integers or as floating point without a fraction.
std::optional<std::int64_t> whole_number(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return {};
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return {};
  const auto number = value.get<double>();
  if (std::trunc(number) != number || std::abs(number) > static_cast<double>(kMaxBytes)) return {};
  return static_cast<std::int64_t>(number);
}

}  // namespace

JsonCursor::JsonCursor(const json& document, std::string_view source)
    : JsonCursor(&document, source, "") {}

JsonCursor::JsonCursor(const json* value, std::string_view source, std::string path)
    : value_(value), source_(source), path_(std::move(path)) {}

std::string JsonCursor::place() const {
  return path_.empty() ? shown_source(source_)
                       : fmt::format("{}: {}", shown_source(source_), path_);
}

void JsonCursor::fail(const std::string& message) const {
  throw InputError(place(), message);
}

void JsonCursor::fail_expecting(std::string_view expected) const {
  fail(fmt::format("found {}, expected {}", found(*value_), expected));
}

std::string JsonCursor::string() const {
  if (!value_->is_string()) fail_expecting("a string");
  return value_->get<std::string>();
}

bool JsonCursor::boolean() const {
  if (!value_->is_boolean()) fail_expecting("true or false");
  return value_->get<bool>();
}

std::int64_t JsonCursor::integer(std::int64_t low, std::int64_t high) const {
  const std::optional<std::int64_t> number = whole_number(*value_);
  if (!number || *number < low || *number > high) {
    fail_expecting(high == kMaxBytes ? fmt::format("a whole number from {} to 2^53", low)
                                     : fmt::format("a whole number from {} to {}", low, high));
  }
  return *number;
}

double JsonCursor::number(double low, double high) const {
  const bool fits = value_->is_number() && value_->get<double>() >= low &&
                    value_->get<double>() <= high && std::isfinite(value_->get<double>());
  if (!fits) {
    fail_expecting(high == std::numeric_limits<double>::max()
                       ? fmt::format("a number of at least {}", low)
                       : fmt::format("a number from {} to {}", low, high));
  }
  return value_->get<double>();
}

double JsonCursor::positive() const {
  if (!value_->is_number() || !(value_->get<double>() > 0)) fail_expecting("a number above 0");
  return number();
}

// Limits are checked before cursors are made, so that a hostile array makes none.
std::vector<JsonCursor> JsonCursor::elements(std::size_t limit) const {
  if (!value_->is_array()) fail_expecting("an array");
  if (value_->size() > limit) fail_expecting(fmt::format("at most {} entries", limit));
  std::vector<JsonCursor> result;
  result.reserve(value_->size());
  for (const json& element : *value_) {
    result.push_back(
        JsonCursor(&element, source_, json_path(path_, std::to_string(result.size()))));
  }
  return result;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members(std::size_t limit) const {
  expect_object();
  if (value_->size() > limit) fail_expecting(fmt::format("at most {} entries", limit));
  std::vector<std::pair<std::string, JsonCursor>> result;
  result.reserve(value_->size());
  for (const auto& [key, member] : value_->items()) {
    result.emplace_back(key, JsonCursor(&member, source_, json_path(path_, key)));
  }
  return result;
}

JsonCursor JsonCursor::required(std::string_view key) const {
  if (const std::optional<JsonCursor> member = optional(key)) return *member;
  fail(fmt::format("found no '{}', expected one", key));
}

std::optional<JsonCursor> JsonCursor::optional(std::string_view key) const {
  expect_object();
  const auto member = value_->find(key);
  if (member == value_->end()) return {};
  return JsonCursor(&*member, source_, json_path(path_, key));
}

/// An unknown key is an error and no extension: an optional key that is misspelt would be ignored
/// in silence.
void JsonCursor::allow_only(std::span<const std::string_view> known) const {
  expect_object();
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    JsonCursor(&value, source_, json_path(path_, key))
        .fail(fmt::format("found an unknown key, expected one of {}{}", fmt::join(known, ", "),
                          did_you_mean(key, known)));
  }
}

void JsonCursor::allow_only(std::initializer_list<std::string_view> known) const {
  allow_only(std::span<const std::string_view>(known.begin(), known.size()));
}

void JsonCursor::expect_object() const {
  if (!value_->is_object()) fail_expecting("an object");
}

std::int64_t expect_format(const JsonCursor& root, std::string_view format, std::int64_t version,
                           std::int64_t newest) {
  const JsonCursor found_format = root.required("format");
  if (found_format.string() != format) found_format.fail_expecting(fmt::format("\"{}\"", format));
  const JsonCursor found_version = root.required("version");
  const std::int64_t found = found_version.integer();
  if (found >= version && found <= newest) return found;
  found_version.fail_expecting(
      newest == version ? fmt::format("version {} of \"{}\"", version, format)
                        : fmt::format("version {} {} {} of \"{}\"", version,
                                      newest == version + 1 ? "or" : "to", newest, format));
}

void expect_format(const JsonCursor& root, std::string_view format, std::int64_t version) {
  expect_format(root, format, version, version);
}

void for_each_json_line(std::string_view lines, const std::string& source,
                        const std::function<void(const JsonCursor&)>& take) {
  for (int number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = fmt::format("{} line {}", shown_source(source), number);
    const nlohmann::json document = parse_json(line, place);
    take(JsonCursor(document, place));
  }
}

}  // namespace poet
