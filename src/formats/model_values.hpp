#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fields.hpp"
#include "base/input_errors.hpp"
#include "formats/json/json_cursor.hpp"
#include "model/model_spec.hpp"

namespace poet {

// What the readers of both forms of model files share. All throw InputError with the place.

/// One of the words for an enum: `"fused", "buffered" or "accumulate"`.
template <typename Enum>
Enum read_enum(const JsonCursor& cursor) {
  if (cursor.is_string()) {
    if (const std::optional<Enum> value = value_of<Enum>(cursor.string())) return *value;
  }
  std::vector<std::string> words;
  for (const auto& [value, word] : kNames<Enum>) words.push_back(fmt::format("\"{}\"", word));
  const std::string last = words.back();
  words.pop_back();
  cursor.fail_expecting(fmt::format("{} or {}", fmt::join(words, ", "), last));
}

/// A name of at least one character, without control characters.
std::string read_name(const JsonCursor& cursor);

/// Fails unless this key of a member is such a name.
void check_name(const JsonCursor& member, std::string_view key);

/// A name and where it stands; whether it means anything is for build_model to say.
InputName read_reference(const JsonCursor& cursor);
std::vector<InputName> read_references(const JsonCursor& cursor, std::size_t limit);

/// Fails on a key that is in neither list, and in a file of version 1 on one of the second.
void allow_keys(const JsonCursor& cursor, int version, std::vector<std::string_view> version_1,
                std::span<const std::string_view> version_2);

/// `"fp32"`, or an object with one for each of activations, gradients and parameters.
ElementBytes read_element_bytes(const JsonCursor& cursor);
/// Bytes of an element of an input; `"int32"` as well.
int read_input_type(const JsonCursor& cursor);

/// The layers of a model, each as far as it can be read.
void read_layers(const JsonCursor& layers, ModelSpec& spec, InputErrors& errors);
/// The nodes of a model with measured costs, likewise.
void read_nodes(const JsonCursor& nodes, ModelSpec& spec, InputErrors& errors);

}  // namespace poet
