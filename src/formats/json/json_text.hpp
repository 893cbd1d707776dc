#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace poet {

/// Arrays and objects may nest this deep; every format of ours needs fewer than ten levels.
inline constexpr int kMaxJsonDepth = 64;

/// Values of every kind in one document: more than the largest schedule that a file may hold has,
/// and few enough for memory. What people write by hand has far less.
inline constexpr std::size_t kMaxJsonValues = 16'000'000;

/// Parses one JSON document (RFC 8259) strictly: no comments, no NaN, nothing after the value.
/// `source` is the file's name for errors (`-` reads as `stdin`).
/// Throws InputError
/// - `source:line:column: found ..., expected ...` for a syntax error, an empty text, a byte that
///   is not UTF-8, or a number that no double can hold; columns count characters, from 1;
/// - `source:line:column: /path: ...` for a key that an object has twice;
/// - `source: /path: ...` for nesting beyond kMaxJsonDepth and for the value after the first
///   `max_values`.
nlohmann::json parse_json(std::string_view text, std::string_view source,
                          std::size_t max_values = kMaxJsonValues);

/// `base` with one more step as in a JSON pointer (RFC 6901): `/layers` + `3` -> `/layers/3`.
std::string json_path(std::string_view base, std::string_view step);

/// The text of a document of ours, keys in the order of insertion, ending in a newline. Objects
/// are indented by two spaces, but each element of an array of objects takes one line, and so
/// does an array of anything else; with `compact`, all of it is one line.
/// Doubles are written so that reading them gives the same bits in any locale. Text that is not
/// UTF-8 is written with replacement characters. Throws InternalError, naming the JSON path, for a
/// number that is not finite: JSON has none.
std::string json_write(const nlohmann::ordered_json& document, bool compact);

}  // namespace poet
