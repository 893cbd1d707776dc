#pragma once

#include <string>
#include <string_view>

#include "formats/json/json_cursor.hpp"
#include "poet/model.hpp"

namespace poet {

/// Copies that a user states: the copies of a schedule file, which may be none, or an object with a
/// mode and tensors. Throws InputError, with the place.
Copies read_copies(std::string_view text, const std::string& source);

/// Throws InputError unless the copies at this place say something, in a form of their own.
void check_copies(const JsonCursor& at, const Copies& copies);

}  // namespace poet
