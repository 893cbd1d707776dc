#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/fields.hpp"
#include "base/process/child.hpp"

namespace poet {

/// A flat record of numbers and texts for the pipe, read back in the order of writing. Everything
/// is a double: both ends are the same program on the same machine, and need no format to agree on,
/// and integers are exact up to 2^53.
class Packer {
 public:
  void put(double value) { values_.push_back(value); }
  void put(bool value) { put(value ? 1.0 : 0.0); }
  void put(std::int64_t value) { put(static_cast<double>(value)); }
  void put(int value) { put(static_cast<double>(value)); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) { put(static_cast<int>(value)); }
  template <typename Item>
  void put_all(const std::vector<Item>& items) {
    put_size(items);
    for (const Item item : items) put(item);
  }
  template <typename List>
  void put_size(const List& items) {
    put(static_cast<double>(items.size()));
  }

  void put_text(std::string_view text) {
    put_size(text);
    for (const char character : text) put(static_cast<int>(character));
  }

  Message message() const {
    Message bytes(values_.size() * sizeof(double));
    if (!values_.empty()) std::memcpy(bytes.data(), values_.data(), bytes.size());
    return bytes;
  }

 private:
  std::vector<double> values_;
};

/// Reads a Packer's record. What does not fit the type that is asked for throws MalformedMessage:
/// numbers in an answer can turn "nothing known" into "proven", so none is guessed.
class Unpacker {
 public:
  explicit Unpacker(const Message& message) : values_(message.size() / sizeof(double)) {
    if (message.size() % sizeof(double) != 0) throw MalformedMessage("it ends within a number");
    if (!values_.empty()) std::memcpy(values_.data(), message.data(), message.size());
  }

  double get() {
    if (at_ == values_.size()) throw MalformedMessage("it ends too early");
    return values_[at_++];
  }

  /// An integer or a bool.
  template <typename Item>
  Item get_as() {
    const double value = get();
    if constexpr (std::is_same_v<Item, double>) {
      return value;
    } else {
      constexpr double kExact = 9007199254740992.0;  // 2^53
      const double lowest = std::max(-kExact, double(std::numeric_limits<Item>::lowest()));
      const double highest = std::min(kExact, double(std::numeric_limits<Item>::max()));
      const bool fits = value >= lowest && value <= highest && value == std::floor(value);
      if (!fits) throw MalformedMessage("a number is not of its kind");
      return static_cast<Item>(value);
    }
  }

  /// One of the enumerators from 0 to `last`.
  template <typename Enum>
  Enum get_enum(Enum last) {
    const int value = get_as<int>();
    if (value < 0 || value > static_cast<int>(last)) throw MalformedMessage("an unknown kind");
    return static_cast<Enum>(value);
  }

  /// How many items follow, each of one number at least.
  std::size_t get_size() {
    const auto size = get_as<std::int64_t>();
    if (size < 0 || static_cast<std::size_t>(size) > values_.size() - at_) {
      throw MalformedMessage("a list is longer than the message");
    }
    return static_cast<std::size_t>(size);
  }

  template <typename Item>
  std::vector<Item> get_all() {
    std::vector<Item> items(get_size());
    for (auto&& item : items) item = get_as<Item>();
    return items;
  }
  std::string get_text() {
    const std::vector<char> characters = get_all<char>();
    return {characters.begin(), characters.end()};
  }

  /// To be called after the last item.
  void finish() const {
    if (at_ != values_.size()) throw MalformedMessage("it is longer than it should be");
  }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

/// The order in which a child may speak: any number of reports, then one result, then nothing.
class ResultOnce {
 public:
  /// Call for each message. Throws MalformedMessage for any after the result.
  void take(bool is_result) {
    if (received_) throw MalformedMessage("a message follows the result");
    received_ = is_result;
  }

 private:
  bool received_ = false;
};

template <typename Type>
inline constexpr bool kIsVectorOfNumbers = false;
template <typename Item>
inline constexpr bool kIsVectorOfNumbers<std::vector<Item>> = std::is_arithmetic_v<Item>;

/// Packs anything that is made of structs with a table of fields: all of them, with or without a
/// key.
template <typename Value>
void pack(Packer& packer, const Value& value) {
  if constexpr (HasFields<Value>) {
    for_each_field(kFields<Value>, [&](const auto& field) { pack(packer, field.of(value)); });
  } else if constexpr (kIsOptional<Value>) {
    packer.put(value.has_value());
    if (value) pack(packer, *value);
  } else if constexpr (kIsVectorOfNumbers<Value>) {
    packer.put_all(value);
  } else if constexpr (kIsVector<Value>) {
    packer.put_size(value);
    for (const auto& item : value) pack(packer, item);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    packer.put_text(value);
  } else {
    packer.put(value);
  }
}

template <typename... Kinds>
void pack(Packer& packer, const std::variant<Kinds...>& value) {
  packer.put(static_cast<int>(value.index()));
  std::visit([&](const auto& kind) { pack(packer, kind); }, value);
}

/// The way back. Throws MalformedMessage.
template <typename Value>
void unpack(Unpacker& unpacker, Value& value) {
  if constexpr (HasFields<Value>) {
    for_each_field(kFields<Value>, [&](const auto& field) { unpack(unpacker, field.of(value)); });
  } else if constexpr (kIsOptional<Value>) {
    value.reset();
    if (unpacker.get_as<bool>()) unpack(unpacker, value.emplace());
  } else if constexpr (kIsVectorOfNumbers<Value>) {
    value = unpacker.get_all<typename Value::value_type>();
  } else if constexpr (kIsVector<Value>) {
    value.resize(unpacker.get_size());
    for (auto& item : value) unpack(unpacker, item);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = unpacker.get_text();
  } else if constexpr (std::is_enum_v<Value>) {
    value = unpacker.get_enum(kLast<Value>);
  } else {
    value = unpacker.get_as<Value>();
  }
}

template <typename... Kinds>
void unpack(Unpacker& unpacker, std::variant<Kinds...>& value) {
  const int kind = unpacker.get_as<int>();
  int next = 0;
  const bool is_known =
      ((kind == next++ && (unpack(unpacker, value.template emplace<Kinds>()), true)) || ...);
  if (!is_known) throw MalformedMessage("an unknown kind");
}

template <typename Value>
Message packed(const Value& value) {
  Packer packer;
  pack(packer, value);
  return packer.message();
}

/// The way back, for a message that holds a Value and nothing else.
template <typename Value>
Value unpacked(const Message& message) {
  Unpacker unpacker(message);
  Value value;
  unpack(unpacker, value);
  unpacker.finish();
  return value;
}

}  // namespace poet
