// Small values that layers and nodes share. Element types such as `fp32` are words only here: the
// rest of the program knows their size in bytes. One reader for each keeps both forms of model
// files to the same rules and messages.

#include "formats/model_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace poet {
namespace {

// int32 is the last one, as only inputs may have it: a reader allows so many types from the front.
constexpr std::array<std::pair<std::string_view, int>, 4> kTypes = {
    {{"fp32", 4}, {"fp16", 2}, {"int8", 1}, {"int32", 4}}};
constexpr std::string_view kFloatTypes = "\"fp32\", \"fp16\" or \"int8\"";

constexpr std::string_view kNameExpected =
    "a name of at least one character and no control characters";

bool is_name(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

// Indices are for inputs alone, so the table lists them last and others stop before them.
int read_type(const JsonCursor& cursor, std::size_t known, std::string_view expected) {
  const std::string name = cursor.is_string() ? cursor.string() : "";
  for (std::size_t i = 0; i < known; ++i) {
    if (kTypes[i].first == name) return kTypes[i].second;
  }
  cursor.fail_expecting(expected);
}

}  // namespace

std::string read_name(const JsonCursor& cursor) {
  std::string name = cursor.string();
  if (!is_name(name)) cursor.fail_expecting(kNameExpected);
  return name;
}

void check_name(const JsonCursor& member, std::string_view key) {
  if (is_name(key)) return;
  member.fail(fmt::format("found the key '{}', expected {}", printable(key), kNameExpected));
}

InputName read_reference(const JsonCursor& cursor) {
  return {cursor.string(), cursor.place()};
}

std::vector<InputName> read_references(const JsonCursor& cursor, std::size_t limit) {
  std::vector<InputName> names;
  for (const JsonCursor& name : cursor.elements(limit)) names.push_back(read_reference(name));
  return names;
}

/// A key of version 2 in a file of version 1 is known: the message names the line to change.
void allow_keys(const JsonCursor& cursor, int version, std::vector<std::string_view> version_1,
                std::span<const std::string_view> version_2) {
  if (version == 1) {
    for (const std::string_view key : version_2) {
      if (const auto found = cursor.optional(key)) {
        found->fail(
            "found a key of version 2, expected \"version\": 2 in this file, or no such key");
      }
    }
  } else {
    version_1.insert(version_1.end(), version_2.begin(), version_2.end());
  }
  cursor.allow_only(version_1);
}

ElementBytes read_element_bytes(const JsonCursor& cursor) {
  if (!cursor.is_object()) {
    const int bytes = read_type(cursor, 3,
                                fmt::format("{}, or an object of activations, gradients and "
                                            "parameters",
                                            kFloatTypes));
    return {bytes, bytes, bytes};
  }
  cursor.allow_only({"activations", "gradients", "parameters"});
  const auto read = [&](std::string_view key) -> std::optional<int> {
    const auto member = cursor.optional(key);
    return member ? std::optional(read_type(*member, 3, kFloatTypes)) : std::nullopt;
  };
  return {read("activations"), read("gradients"), read("parameters")};
}

int read_input_type(const JsonCursor& cursor) {
  return read_type(cursor, kTypes.size(), "\"fp32\", \"fp16\", \"int8\" or \"int32\"");
}

}  // namespace poet
