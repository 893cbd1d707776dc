#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace poet {

/// The text of a document of ours, keys in the order of insertion, ending in a newline. Objects
/// are indented by two spaces, but each element of an array of objects takes one line, and so
/// does an array of anything else; with `compact`, all of it is one line.
/// Doubles are written so that reading them gives the same bits, whatever the locale. Text that
/// is not UTF-8 is written with replacement characters.
/// Throws InternalError, naming the JSON path, for a number that is not finite: JSON has none.
std::string json_write(const nlohmann::ordered_json& document, bool compact);

}  // namespace poet
