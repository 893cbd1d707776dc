#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace poet {

/// Objects with the same keys as a table (RFC 4180, but with plain line ends): a line of keys, then
/// a line per object. A null is an empty field; text is quoted where it has to be. The objects must
/// not contain others.
std::string csv_table(std::span<const nlohmann::ordered_json> rows);

}  // namespace poet
