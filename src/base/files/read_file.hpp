#pragma once

#include <cstddef>
#include <string>

namespace poet {

/// No file of this program comes near this size. A larger one is a mistake, such as a disk image in
/// place of a model, and an early error is better than minutes of reading.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// Reads a whole file, or stdin for `-`, and returns its bytes as they are.
///
/// A regular file above `max_bytes` is refused by its size alone; pipes are read up to that limit,
/// because their size is not known before. Directories are refused by name: reading one gives an
/// error that few readers understand.
///
/// Throws InputError with the path and the reason: missing, a directory, not readable, too large.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

}  // namespace poet
