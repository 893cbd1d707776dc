#pragma once

#include <string>

#include "cli/reference/command_table.hpp"

namespace poet::cli {

/// Scripts that teach a shell to complete command lines of poet-solve: commands, options, and
/// values as far as they are known. They hold all they need; the program is not run for them.
std::string bash_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);
std::string fish_completion(const CommandEntry& program);

/// The one for `bash`, `zsh` or `fish`.
std::string completion_script(const CommandEntry& program, const std::string& shell);

/// The first clause of a description: what fits beside a word in a list.
std::string first_clause(const std::string& description);

}  // namespace poet::cli
