#pragma once

#include <string>
#include <string_view>

namespace poet {

/// Text from a file or a command line made fit for a one-line message: control characters
/// become `\xNN`, so that no file can steer the reader's terminal, and anything beyond
/// `max_bytes` becomes `...` (cut between characters, never inside one).
std::string shown(std::string_view text, std::size_t max_bytes = 60);

/// How a message names the origin of a text: `stdin` for `-`, else `source`, shown safely.
std::string shown_source(std::string_view source);

}  // namespace poet
