#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// A word as a POSIX shell has to see it: as it stands where that is safe, else in single quotes.
std::string shell_quoted(std::string_view word);

/// A command line of these words.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace poet
