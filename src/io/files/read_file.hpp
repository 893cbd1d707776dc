#pragma once

#include <cstddef>
#include <string>

namespace poet {

/// No file of ours comes near this size; a larger one is a mistake worth an early answer.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// The bytes of a file, or of stdin for `-`. A regular file above `max_bytes` is refused by its
/// size alone; pipes are read up to that limit.
/// Throws InputError with the path and the reason: missing, a directory, not readable, too large.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

}  // namespace poet
