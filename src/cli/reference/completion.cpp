#include "cli/reference/completion.hpp"

#include <algorithm>

#include "poet/error.hpp"

namespace poet::cli {

std::string completion_script(const CommandEntry& program, const std::string& shell) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  throw InternalError("there is no completion for the shell '" + shell + "'");
}

std::string first_clause(const std::string& description) {
  return description.substr(0, std::min(description.find("; "), description.find('\n')));
}

}  // namespace poet::cli
