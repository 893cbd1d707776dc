#pragma once

#include <string>
#include <string_view>

namespace poet {

/// Writes the file whole or not at all: a temporary file beside it, flushed and renamed.
/// Throws InputError with the path and the reason.
void write_file(const std::string& path, std::string_view text);

/// Throws InputError unless write_file() to this path can be expected to succeed: its folder
/// exists and is writable, and the path is not a folder. To be called before long work.
void check_writable(const std::string& path);

}  // namespace poet
