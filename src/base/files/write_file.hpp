#pragma once

#include <string>
#include <string_view>

namespace poet {

/// Writes the file whole or not at all: a temporary file in the same folder, flushed to the disk
/// and renamed. A full disk, a crash or Ctrl-C leaves an earlier file as it was, and no reader ever
/// sees half a result. A device or a pipe is written in place, because it cannot be replaced.
///
/// Throws InputError with the path and the reason.
void write_file(const std::string& path, std::string_view text);

/// Throws InputError unless write_file() to this path can be expected to succeed: its folder
/// exists and is writable, and the path is not a folder.
///
/// Call it before long work: an hour of solving must not end with a misspelt folder. It creates
/// nothing, so a run that fails leaves no empty file.
void check_writable(const std::string& path);

}  // namespace poet
