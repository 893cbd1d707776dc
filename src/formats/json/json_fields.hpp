#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fields.hpp"
#include "formats/json/json_cursor.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solver_features.hpp"
#include "poet/units.hpp"

namespace poet {

// JSON of anything that has a table of fields (base/fields.hpp), both ways. A table is enough: the
// keys, their order, which may be missing or null, and which keys a reader knows.

/// More entries than any list of nodes or stages has: a hostile file does no harm.
inline constexpr std::size_t kMaxListLength = 1'000'000;

/// The numbers that a file may state for the members of a struct.
struct NumberRange {
  double least = 0;  ///< of members with fractions
  std::int64_t most = kMaxBytes;
};
template <typename Struct>
inline constexpr NumberRange kNumberRange{};
/// Ratios may lie a rounding error below zero, a bound may be a poor one, and all transfers
/// together may move more bytes than any tensor has. A replay checks these figures.
template <>
inline constexpr NumberRange kNumberRange<Summary>{.least = std::numeric_limits<double>::lowest(),
                                                   .most = std::numeric_limits<Bytes>::max()};
template <>
inline constexpr NumberRange kNumberRange<BankFigures>{.most = std::numeric_limits<Bytes>::max()};
template <>
inline constexpr NumberRange kNumberRange<SolveStatistics>{
    .most = std::numeric_limits<std::int64_t>::max()};

/// `optimal, feasible, infeasible or unknown`
template <typename Enum>
std::string words_of() {
  std::string text;
  for (const auto& [value, name] : kNames<Enum>) {
    const bool last = value == kNames<Enum>.back().first;
    text += (text.empty() ? "" : last ? " or " : ", ") + std::string(name);
  }
  return text;
}

/// Appends the keys of a table, each once, in the order of the file. Without `all`, those are left
/// out that are left out at their default.
template <typename Table>
void append_keys(std::vector<std::string_view>& keys, const Table& table, bool all = true);

/// A struct that is an object in files; a schedule is a list.
template <typename Value>
concept IsObject = HasFields<Value> && !std::is_same_v<Value, Schedule>;

template <typename Value>
concept IsObjects = kIsVector<Value> && IsObject<typename Value::value_type>;

template <typename Value>
void append_keys_of(std::vector<std::string_view>& keys, bool all = true) {
  if constexpr (kIsOptional<Value>) {
    append_keys_of<typename Value::value_type>(keys, all);
  } else if constexpr (IsObject<Value>) {
    append_keys(keys, kFields<Value>, all);
  }
}

template <auto... kPath>
void append_key(std::vector<std::string_view>& keys, const Field<kPath...>& field, bool all) {
  if (field.in_file == InFile::never) return;
  if (field.in_file == InFile::left_out_if_default && !all) return;
  if (!field.key.empty()) {
    if (std::find(keys.begin(), keys.end(), field.key) == keys.end()) keys.push_back(field.key);
    return;
  }
  append_keys_of<typename Field<kPath...>::Value>(keys, all);
}

template <typename Table>
void append_keys(std::vector<std::string_view>& keys, const Table& table, bool all) {
  for_each_field(table, [&](const auto& field) { append_key(keys, field, all); });
}

/// Made once: each of thousands of nodes is checked for unknown keys.
template <typename Struct>
const std::vector<std::string_view>& keys_of() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> keys;
    append_keys(keys, kFields<Struct>);
    return keys;
  }();
  return all;
}

// Writing.

template <typename Value>
nlohmann::ordered_json json_of(const Value& value);
template <typename Struct>
nlohmann::ordered_json list_of(const std::vector<Struct>& structs);

/// Whether a member is empty in the sense of InFile.
template <typename Value>
bool is_empty(const Value& value) {
  if constexpr (kIsOptional<Value>) {
    return !value.has_value();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return value.empty();
  } else if constexpr (std::is_same_v<Value, int>) {
    return value < 0;
  } else if constexpr (HasNames<Value>) {
    return value == Value{};
  } else {
    return false;
  }
}

/// Whether a member has the value that its struct has from the start.
template <typename Struct, typename Field>
bool is_default(const Struct& object, const Field& field) {
  if constexpr (std::equality_comparable<typename Field::Value>) {
    static const Struct plain{};
    return field.of(object) == field.of(plain);
  } else {
    return false;
  }
}

/// Adds the members of a table to an object. A key that is there already stays as it is.
/// InFile::with_previous goes by what became of the field before it.
template <typename Struct, typename Table>
void add_fields(nlohmann::ordered_json& json, const Struct& object, const Table& table) {
  bool there = true;
  for_each_field(
      table, [&]<auto... kPath>(const Field<kPath...>& field) {
        using Value = typename Field<kPath...>::Value;
        const Value& value = field.of(object);
        if (field.in_file == InFile::never) return;
        if (field.key.empty()) {
          const nlohmann::ordered_json members = json_of(value);
          std::vector<std::string_view> keys;
          append_keys_of<Value>(keys, !members.is_null());
          for (const std::string_view key : keys) {
            const std::string name(key);
            if (json.contains(name)) continue;
            if (members.is_null()) json[name] = members;
            if (members.contains(name)) json[name] = members.at(name);
          }
          return;
        }
        if (field.in_file != InFile::with_previous) {
          there = field.in_file != InFile::left_out_if_empty || !is_empty(value);
          if (field.in_file == InFile::left_out_if_default) there = !is_default(object, field);
        }
        if (!there) return;
        const bool null = field.in_file == InFile::null_if_empty && is_empty(value);
        json[std::string(field.key)] = null ? nlohmann::ordered_json(nullptr) : json_of(value);
        if constexpr (std::is_same_v<Value, std::optional<Bytes>>) {
          if (field.in_quotes && value) json[std::string(field.key)] = std::to_string(*value);
        }
      });
}

/// The value as JSON: an object for a struct, a word for an enum, null for an empty optional.
template <typename Value>
nlohmann::ordered_json json_of(const Value& value) {
  if constexpr (kIsOptional<Value>) {
    return value ? json_of(*value) : nlohmann::ordered_json(nullptr);
  } else if constexpr (HasNames<Value>) {
    return name_of(value);
  } else if constexpr (std::is_same_v<Value, SolverFeatures>) {
    return disabled_features(value);
  } else if constexpr (std::is_same_v<Value, Schedule>) {
    // In a journal. Keys would be most of its text, so that a stage is four lists.
    auto list = nlohmann::ordered_json::array();
    for (const Stage& stage : value.stages) {
      list.push_back({stage.resident, stage.compute, stage.page_out, stage.page_in});
    }
    return list;
  } else if constexpr (kIsMap<Value>) {
    auto json = nlohmann::ordered_json::object();
    for (const auto& [key, one] : value) json[key] = json_of(one);
    return json;
  } else if constexpr (IsObject<Value>) {
    auto json = nlohmann::ordered_json::object();
    add_fields(json, value, kFields<Value>);
    return json;
  } else if constexpr (IsObjects<Value>) {
    return list_of(value);
  } else {
    return value;
  }
}

/// A list of objects.
template <typename Struct>
nlohmann::ordered_json list_of(const std::vector<Struct>& structs) {
  auto list = nlohmann::ordered_json::array();
  for (const Struct& one : structs) list.push_back(json_of(one));
  return list;
}

// Reading. Everything throws InputError with the place, what was found and what was expected.

template <typename Struct, typename Table>
void read_fields(const JsonCursor& at, Struct& object, const Table& table);

/// Integers of any sign are for lists of nodes in schedule files: the replay reports those outside
/// of the graph, with their stage.
std::vector<int> read_ints(const JsonCursor& list, int least);
/// The ways back from what json_of() makes of a schedule, and of features: those that are off.
Schedule read_stage_lists(const JsonCursor& list);
SolverFeatures read_features(const JsonCursor& at);
/// The `nodes` of a schedule file as a graph.
Graph read_nodes(const JsonCursor& list);

template <typename Value>
void read_value(const JsonCursor& at, Value& value, const NumberRange& range = {},
                std::int64_t least = 0, bool is_positive = false) {
  if constexpr (kIsOptional<Value>) {
    value.reset();
    if (!at.is_null()) read_value(at, value.emplace(), range, least, is_positive);
  } else if constexpr (HasNames<Value>) {
    const auto known = value_of<Value>(at.string());
    if (!known) at.fail_expecting(words_of<Value>());
    value = *known;
  } else if constexpr (std::is_same_v<Value, SolverFeatures>) {
    value = read_features(at);
  } else if constexpr (std::is_same_v<Value, Schedule>) {
    value = read_stage_lists(at);
  } else if constexpr (kIsMap<Value>) {
    for (const auto& [key, member] : at.members(kMaxListLength)) read_value(member, value[key]);
  } else if constexpr (IsObject<Value>) {
    at.allow_only(keys_of<Value>());
    read_fields(at, value, kFields<Value>);
  } else if constexpr (IsObjects<Value>) {
    value.clear();
    for (const JsonCursor& entry : at.elements(kMaxListLength)) {
      read_value(entry, value.emplace_back());
    }
  } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
    value = read_ints(at, std::numeric_limits<int>::min());
  } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
    value.clear();
    for (const JsonCursor& entry : at.elements(kMaxListLength)) value.push_back(entry.number());
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    value.clear();
    for (const JsonCursor& entry : at.elements(kMaxListLength)) value.push_back(entry.string());
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = at.string();
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = at.boolean();
  } else if constexpr (std::is_same_v<Value, double>) {
    value = is_positive ? at.positive() : at.number(range.least);
  } else {
    value = static_cast<Value>(
        at.integer(least, std::min<std::int64_t>(range.most, std::numeric_limits<Value>::max())));
  }
}

/// A member without a key of its own. An optional one is there if its first key is not null.
template <typename Value>
void read_inlined(const JsonCursor& at, Value& value) {
  if constexpr (kIsOptional<Value>) {
    std::vector<std::string_view> keys;
    append_keys_of<Value>(keys);
    if (!at.required(keys.front()).is_null()) read_inlined(at, value.emplace());
  } else if constexpr (IsObject<Value>) {
    read_fields(at, value, kFields<Value>);
  }
}

/// Reads the members of a table from an object. Which other keys it may have is for the caller.
template <typename Struct, typename Table>
void read_fields(const JsonCursor& at, Struct& object, const Table& table) {
  bool there = true;
  for_each_field(table, [&](const auto& field) {
    auto& value = field.of(object);
    if (field.in_file == InFile::never) return;
    if (field.key.empty()) return read_inlined(at, value);
    const auto read = [&](const JsonCursor& member) {
      if constexpr (std::is_same_v<decltype(value), std::optional<Bytes>&>) {
        if (field.in_quotes) {
          value = parse_bytes(member.string());
          if (!value) member.fail_expecting("a size in quotes");
          return;
        }
      }
      read_value(member, value, kNumberRange<Struct>, field.least, field.is_positive);
    };
    if (field.in_file == InFile::left_out_if_empty ||
        field.in_file == InFile::left_out_if_default || field.in_file == InFile::may_be_missing) {
      const auto member = at.optional(field.key);
      there = member.has_value();
      if (there && member->is_null()) member->fail_expecting("a value, or no such key");
      if (there) read(*member);
    } else if (field.in_file != InFile::with_previous || there) {
      const JsonCursor member = at.required(field.key);
      if (field.in_file != InFile::null_if_empty || !member.is_null()) read(member);
    }
  });
}

template <typename Struct>
Struct read_struct(const JsonCursor& at) {
  Struct object;
  read_value(at, object);
  return object;
}

}  // namespace poet
