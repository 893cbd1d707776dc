#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace poet {

// One table per struct and one per enum: the readers and writers of JSON, CSV and of messages
// between processes are all loops over them, so that a new member is a new line in one place.
//
// Public headers know no tables: the tables of their structs stand in `fields.hpp` of the lowest
// layer that needs them. Any other struct has its table beside it, so that a new member is a change
// of one file; in `fields.hpp`, too, if few who know the struct need the table. A struct or an enum
// that one .cpp file writes or sends has its table there.

/// When a file holds a member. An empty member is an optional without a value, an empty text, a
/// whole number below zero or the first value of an enum.
enum class InFile {
  always,             ///< an optional without a value is null
  null_if_empty,      ///< always; an empty value is null
  left_out_if_empty,  ///< its key may be missing
  /// Its key is missing if its value is the one that the struct has from the start.
  left_out_if_default,
  may_be_missing,  ///< always in files of ours; others may leave its key out
  with_previous,   ///< whenever the member before it in the table is there
  never,           ///< only in messages between processes
};

template <typename MemberPointer>
struct PointedTo;
template <typename Struct, typename Member>
struct PointedTo<Member Struct::*> {
  using Type = Member;
};

/// A member of a struct and its key in files. `kPath` leads to it through members of members.
/// Without a key, its own members stand beside the members of the struct.
template <auto... kPath>
struct Field {
  std::string_view key{};
  InFile in_file = InFile::always;
  std::int64_t least = 0;    ///< a whole number is at least this
  bool is_positive = false;  ///< any other number is above 0, not only at least that
  bool in_quotes = false;    ///< a number of bytes, if there is one, stands as text

  template <typename Struct>
  static constexpr auto& of(Struct& object) {
    return (object.*....*kPath);
  }

  /// The type of the member.
  using Value = typename decltype((PointedTo<decltype(kPath)>{}, ...))::Type;
};

/// The last part of the name of a member, an enumerator, a function or a type, such as `gap` of
/// `&Summary::gap`. The language has no other way to ask for it than the text that g++ and clang++
/// make of a template's arguments.
constexpr std::string_view last_name(std::string_view function) {
  function.remove_prefix(function.find("Named = ") + sizeof "Named = " - 1);
  function = function.substr(0, function.find_first_of(";]"));
  return function.substr(function.find_last_of("&:") + 1);
}
template <auto kNamed>
consteval std::string_view name_in_code() {
  return last_name(__PRETTY_FUNCTION__);
}
template <typename Named>
consteval std::string_view type_in_code() {
  return last_name(__PRETTY_FUNCTION__);
}

/// Members as fields whose keys are their names: a key that is written beside its member can only
/// differ by mistake, or because a file format is older than the name.
template <auto... kMember>
inline constexpr auto kMembers = std::tuple(Field<kMember>{name_in_code<kMember>()}...);
/// Likewise, of members that a file does not always hold.
template <InFile kInFile, auto... kMember>
inline constexpr auto kMembersIn = std::tuple(Field<kMember>{name_in_code<kMember>(), kInFile}...);

/// How many rows a table has.
template <typename... Rows>
constexpr std::size_t count_of(const std::tuple<Rows...>& /*table*/) {
  return sizeof...(Rows);
}

/// The fields of a struct as a tuple; specialised for each struct that has a table.
template <typename Struct>
inline constexpr std::nullptr_t kFields = nullptr;

template <typename Struct>
concept HasFields = !std::is_null_pointer_v<std::remove_cv_t<decltype(kFields<Struct>)>>;

/// The fields of a member as fields of the struct that holds it.
template <auto kHolder, auto... kPath>
constexpr Field<kHolder, kPath...> within(const Field<kPath...>& field) {
  return {field.key, field.in_file, field.least, field.is_positive, field.in_quotes};
}
template <auto kHolder, typename... Fields>
constexpr auto within(const std::tuple<Fields...>& table) {
  return std::apply([](const auto&... field) { return std::tuple(within<kHolder>(field)...); },
                    table);
}

/// Calls visit(field) for each field of a table, in its order.
template <typename Table, typename Visit>
constexpr void for_each_field(const Table& table, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, table);
}

/// Pairs of a value and its word, in the order of the enumerators. A struct of flags may have words
/// as well.
template <typename Enum, std::size_t kCount>
using Names = std::array<std::pair<Enum, std::string_view>, kCount>;

/// Enumerators whose words are their names.
template <auto kFirst, decltype(kFirst)... kRest>
inline constexpr Names<decltype(kFirst), 1 + sizeof...(kRest)> kWords = {
    {{kFirst, name_in_code<kFirst>()}, {kRest, name_in_code<kRest>()}...}};

/// The words for an enum, for writing and reading alike; specialised for each enum that has some.
template <typename Enum>
inline constexpr std::nullptr_t kNames = nullptr;

template <typename Enum>
concept HasNames = !std::is_null_pointer_v<std::remove_cv_t<decltype(kNames<Enum>)>>;

/// The word for a value; `?` for a value that has none.
template <typename Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& [known, name] : kNames<Enum>) {
    if (known == value) return name;
  }
  return "?";
}

/// The value that a word stands for, if any.
template <typename Enum>
constexpr std::optional<Enum> value_of(std::string_view word) {
  for (const auto& [value, name] : kNames<Enum>) {
    if (name == word) return value;
  }
  return std::nullopt;
}

/// The last enumerator; specialised for enums that have no words.
template <typename Enum>
inline constexpr Enum kLast = kNames<Enum>.back().first;

template <typename Type>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename Type>
inline constexpr bool kIsVector = false;
template <typename Item>
inline constexpr bool kIsVector<std::vector<Item>> = true;

template <typename Type>
inline constexpr bool kIsMap = false;
template <typename Value>
inline constexpr bool kIsMap<std::map<std::string, Value, std::less<>>> = true;

}  // namespace poet
