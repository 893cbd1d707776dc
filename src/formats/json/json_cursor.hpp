#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "poet/units.hpp"

namespace poet {

/// A place in a parsed document: a value together with its JSON path, so that each error message
/// about it has the place. Everything throws InputError as `source: /layers/3/kernel: found ...,
/// expected ...`. The document must outlive its cursors.
class JsonCursor {
 public:
  /// The document's outermost value; `source` is the file's name for errors.
  JsonCursor(const nlohmann::json& document, std::string_view source);

  const std::string& path() const { return path_; }
  /// `source: /path`, as the place of an InputError.
  std::string place() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// Fails with `found a string ("x"), expected <expected>`.
  [[noreturn]] void fail_expecting(std::string_view expected) const;

  bool is_array() const { return value_->is_array(); }
  bool is_object() const { return value_->is_object(); }
  bool is_null() const { return value_->is_null(); }
  bool is_string() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  bool is_boolean() const { return value_->is_boolean(); }

  /// The value as what the name says, or a failure that names what was found.
  std::string string() const;
  bool boolean() const;
  /// A whole number in [low, high]; `16.0` is one, `16.5` is not.
  std::int64_t integer(std::int64_t low = 0, std::int64_t high = kMaxBytes) const;
  /// A finite number in [low, high].
  double number(double low = 0, double high = std::numeric_limits<double>::max()) const;
  /// A finite number above zero.
  double positive() const;

  /// The elements of an array of at most `limit` entries, each with its path.
  std::vector<JsonCursor> elements(std::size_t limit) const;

  /// A member of an object. `required` fails if it is missing; a present `null` is a value like any
  /// other, and so an error to the typed readers above.
  JsonCursor required(std::string_view key) const;
  std::optional<JsonCursor> optional(std::string_view key) const;

  /// The members of an object of at most `limit` entries, sorted by their keys.
  std::vector<std::pair<std::string, JsonCursor>> members(std::size_t limit) const;

  /// Fails on a key that is not in `known`, suggesting a near miss.
  void allow_only(std::span<const std::string_view> known) const;
  void allow_only(std::initializer_list<std::string_view> known) const;

 private:
  JsonCursor(const nlohmann::json* value, std::string_view source, std::string path);
  void expect_object() const;

  const nlohmann::json* value_;
  std::string_view source_;
  std::string path_;
};

/// Checks the members `format` and `version` that every file of ours starts with. Returns the
/// version, which is from `version` to `newest`.
std::int64_t expect_format(const JsonCursor& root, std::string_view format, std::int64_t version,
                           std::int64_t newest);
void expect_format(const JsonCursor& root, std::string_view format, std::int64_t version);

/// Reads a document from each line that is not blank, and gives it to `take`. Errors name the
/// source and the line.
void for_each_json_line(std::string_view lines, const std::string& source,
                        const std::function<void(const JsonCursor&)>& take);

}  // namespace poet
