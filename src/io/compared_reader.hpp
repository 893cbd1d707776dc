#pragma once

#include <string>

#include "compare/compare.hpp"

namespace poet {

/// Reads a schedule file, or the JSON lines of a sweep, recognised by content; `path` may be - for
/// stdin. With `replay`, every schedule that is there is replayed: that of a schedule file, and
/// those that a sweep's rows name, as seen from its folder. Throws InputError for anything
/// malformed.
ComparedResult read_compared(const std::string& path, bool replay);

}  // namespace poet
