#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "base/text/figures.hpp"
#include "report/summary.hpp"

namespace poet {

// What a file states against what it should state, field by field of the struct's table, so that
// nobody has to think of a new field.

/// Ratios are differences of nearly equal figures: their error is absolute, not relative.
inline constexpr double kRatioTolerance = 1e-9;

inline bool is_ratio(std::string_view key) {
  return key == "energy_overhead" || key.starts_with("gap") || key.ends_with("runtime_ratio");
}

template <typename Value>
bool same_value(std::string_view key, const Value& a, const Value& b) {
  if constexpr (std::is_floating_point_v<Value>) {
    return agree(a, b, is_ratio(key) ? kRatioTolerance : 0);
  } else {
    return a == b;
  }
}

template <typename Value>
std::pair<std::string, std::string> shown_values(const Value& a, const Value& b) {
  if constexpr (kIsOptional<Value>) {
    if (a && b) return shown_values(*a, *b);
    const auto shown = [](const Value& value) {
      return value ? shown_values(*value, *value).first : std::string("none");
    };
    return {shown(a), shown(b)};
  } else if constexpr (HasNames<Value>) {
    return {std::string(name_of(a)), std::string(name_of(b))};
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    return {fmt::format("'{}'", fmt::join(a, " ")), fmt::format("'{}'", fmt::join(b, " "))};
  } else {
    return distinct(a, b);
  }
}

/// A field in which two structs differ, and its two values as text.
struct FieldDifference {
  std::string key;
  std::string first;
  std::string second;
};

/// The first field of a table in which two structs are not equal.
template <typename Struct, typename Table>
std::optional<FieldDifference> first_difference(const Struct& a, const Struct& b,
                                                const Table& table) {
  std::optional<FieldDifference> difference;
  for_each_field(table, [&](const auto& field) {
    if (difference || field.of(a) == field.of(b)) return;
    auto [first, second] = shown_values(field.of(a), field.of(b));
    difference = {std::string(field.key), std::move(first), std::move(second)};
  });
  return difference;
}

template <typename Struct, typename Table, typename Found>
void compare_fields(const Struct& stated, const Struct& expected, const Table& table,
                    const std::string& path, const Found& found);

/// Compares one value. A key that may be missing says nothing if it is, as in older files; null
/// says that there is no value.
template <typename Value, typename Found>
void compare_value(const Value& stated, const Value& expected, InFile in_file, std::string_view key,
                   const std::string& path, const Found& found) {
  if constexpr (kIsOptional<Value>) {
    if (stated && expected) {
      compare_value(*stated, *expected, in_file, key, path, found);
    } else if (stated) {
      found(path + std::string(key), std::string("stated"), std::string("none"));
    } else if (expected && in_file == InFile::always) {
      found(path + std::string(key), std::string("null"), std::string("one"));
    }
  } else if constexpr (HasFields<Value>) {
    const std::string inside = key.empty() ? path : fmt::format("{}{}.", path, key);
    compare_fields(stated, expected, kFields<Value>, inside, found);
  } else if (!same_value(key, stated, expected)) {
    const auto [is, should_be] = shown_values(stated, expected);
    found(path + std::string(key), is, should_be);
  }
}

/// Calls found(key, is, should_be) for each field that differs; `path` stands before the key.
template <typename Struct, typename Table, typename Found>
void compare_fields(const Struct& stated, const Struct& expected, const Table& table,
                    const std::string& path, const Found& found) {
  for_each_field(table, [&](const auto& field) {
    if (field.in_file == InFile::never) return;
    compare_value(field.of(stated), field.of(expected), field.in_file, field.key, path, found);
  });
}

}  // namespace poet
