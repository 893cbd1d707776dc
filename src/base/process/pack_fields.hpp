#pragma once

#include <string>
#include <type_traits>

#include "base/fields.hpp"
#include "base/process/packer.hpp"

namespace poet {

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
