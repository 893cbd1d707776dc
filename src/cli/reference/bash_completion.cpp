#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completion.hpp"

namespace poet::cli {
namespace {

// Bash splits words at '=' but not at ','. The helpers do without the package bash-completion.
constexpr const char* kHead =
    R"(# Completion of poet-solve for bash, written by `poet-solve --completion bash`.

_poet_solve_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

_poet_solve_list() {
  local done= choice left=
  [[ $word == *,* ]] && done=${word%,*},
  for choice in $1; do
    [[ ,$done == *,$choice,* ]] || left+=" $choice"
  done
  mapfile -t COMPREPLY < <(compgen -P "$done" -W "$left" -- "${word##*,}")
  compopt -o nospace 2>/dev/null
}

_poet_solve_files() {
  local found
  mapfile -t found < <(compgen -f -- "$word")
  COMPREPLY+=("${found[@]}")
  compopt -o filenames 2>/dev/null
}

_poet_solve_folders() {
  mapfile -t COMPREPLY < <(compgen -d -- "$word")
  compopt -o filenames 2>/dev/null
}

)";

constexpr const char* kTail = R"(
complete -F _poet_solve poet-solve
)";

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> command_names(const CommandEntry& program) {
  std::vector<std::string> names;
  for (const CommandEntry& command : program.commands) names.push_back(command.name);
  return names;
}

/// What completes a value: calls of the helpers.
std::string action(const Values& values) {
  std::string calls;
  if (!values.words.empty()) {
    calls = fmt::format("_poet_solve_{} '{}'", values.list ? "list" : "words",
                        joined(values.words, " "));
  }
  if (values.files) calls += (calls.empty() ? "" : "; ") + std::string("_poet_solve_files");
  if (values.folders) calls += (calls.empty() ? "" : "; ") + std::string("_poet_solve_folders");
  return calls.empty() ? ":" : calls;
}

/// Finds the command among the words before the cursor, past the values of options.
std::string command_search(const CommandEntry& program) {
  std::vector<std::string> with_value;
  for (const OptionEntry& option : program.options) {
    if (option.takes_value()) {
      with_value.insert(with_value.end(), option.names.begin(), option.names.end());
    }
  }
  return fmt::format(R"(_poet_solve() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {}) command=${{COMP_WORDS[i]}}; break ;;
      {})
        [[ ${{COMP_WORDS[i + 1]}} == '=' ]] && ((i++))
        ((i++)) ;;
    esac
  done
  if [[ $word == '=' ]]; then
    word=
  elif [[ $option == '=' ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
)",
                     joined(command_names(program), "|"), joined(with_value, "|"));
}

std::string value_cases(const CommandEntry& command) {
  std::string cases;
  for (const OptionEntry& option : command.options) {
    if (!option.takes_value()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) {
      patterns.push_back(fmt::format("{}:{}", command.name, name));
    }
    cases += fmt::format("    {}) {}; return ;;\n", joined(patterns, "|"), action(option.values));
  }
  return cases;
}

/// Options behind a dash; else commands, or what the command's argument may be.
std::string word_case(const CommandEntry& command) {
  const std::string options =
      fmt::format("_poet_solve_words '{}'", joined(option_names(command), " "));
  std::string others = fmt::format("_poet_solve_words '{}'", joined(command_names(command), " "));
  if (command.commands.empty()) {
    others = command.arguments.empty() ? ":" : action(command.arguments.front().values);
  }
  return fmt::format("    {}:-*) {} ;;\n    {}:*) {} ;;\n", command.name, options, command.name,
                     others);
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
  std::string script = kHead + command_search(program) + "  case $command:$option in\n";
  script += value_cases(program);
  for (const CommandEntry& command : program.commands) script += value_cases(command);
  script += "  esac\n  case $command:$word in\n" + word_case(program);
  for (const CommandEntry& command : program.commands) script += word_case(command);
  return script + "  esac\n}\n" + kTail;
}

}  // namespace poet::cli
