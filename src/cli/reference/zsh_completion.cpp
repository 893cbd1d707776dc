#include <fmt/format.h>

#include "cli/reference/completion.hpp"

namespace poet::cli {
namespace {

/// Within single quotes, and within the brackets or between the colons of a specification.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string words_of(const Values& values) {
  std::string words;
  for (const std::string& word : values.words) words += (words.empty() ? "" : " ") + word;
  return words;
}

/// The function that completes words or files, where one specification cannot say it.
std::string helper_name(const OptionEntry& option) {
  return fmt::format("_poet_solve_{}{}", option.values.list ? "list_of_" : "",
                     option.names.front().substr(2));
}

bool needs_helper(const Values& values) {
  return !values.words.empty() && (values.files || values.list);
}

std::string helper(const OptionEntry& option) {
  const Values& values = option.values;
  const std::string words = words_of(values);
  if (values.list) {
    return fmt::format("{}() {{\n  _values -s , '{}' {}\n}}\n", helper_name(option),
                       option.names.front().substr(2), words);
  }
  return fmt::format("{}() {{\n  _alternative 'names:name:({})' 'files:file:_files'\n}}\n",
                     helper_name(option), words);
}

std::string action(const OptionEntry& option) {
  const Values& values = option.values;
  if (needs_helper(values)) return helper_name(option);
  if (!values.words.empty()) return "(" + words_of(values) + ")";
  if (values.files) return "_files";
  if (values.folders) return "_files -/";
  return " ";  // a value that only its name is said of
}

/// One line of _arguments.
std::string specification(const OptionEntry& option) {
  std::string line;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const char* joint = option.takes_value() && is_long ? "=" : "";
    line += fmt::format("    '{}{}[{}]", name, joint, quoted(first_clause(option.description)));
    if (option.takes_value()) {
      line += fmt::format(":{}:{}", quoted(option.value), action(option));
    }
    line += "' \\\n";
  }
  return line;
}

std::string arguments_of(const CommandEntry& command) {
  std::string lines;
  for (const OptionEntry& option : command.options) lines += specification(option);
  for (const OptionEntry& argument : command.arguments) {
    lines += fmt::format("    ':{}:{}' \\\n", quoted(argument.names.front()), action(argument));
  }
  return lines;
}

std::string command_function(const CommandEntry& command) {
  std::string lines = arguments_of(command);
  lines.resize(lines.size() - 3);  // the last line goes on no more
  return fmt::format("_poet_solve_command_{}() {{\n  _arguments -s \\\n{}\n}}\n\n", command.name,
                     lines);
}

std::string helpers(const CommandEntry& program) {
  std::string text;
  const auto add = [&](const CommandEntry& command) {
    for (const OptionEntry& option : command.options) {
      const std::string code = needs_helper(option.values) ? helper(option) : "";
      if (text.find(code) == std::string::npos) text += code + "\n";
    }
  };
  add(program);
  for (const CommandEntry& command : program.commands) add(command);
  return text;
}

}  // namespace

std::string zsh_completion(const CommandEntry& program) {
  std::string script =
      "#compdef poet-solve\n"
      "# Completion of poet-solve for zsh, written by `poet-solve --completion zsh`.\n\n";
  script += helpers(program);
  std::string commands;
  for (const CommandEntry& command : program.commands) {
    script += command_function(command);
    commands +=
        fmt::format("    '{}:{}'\n", command.name, quoted(first_clause(command.description)));
  }
  script += fmt::format(
      "_poet_solve_commands() {{\n  local -a commands=(\n{}  )\n"
      "  _describe command commands\n}}\n\n",
      commands);
  script += fmt::format(
      "_poet_solve() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n"
      "  _arguments -C -s \\\n{}    '1:command:_poet_solve_commands' \\\n"
      "    '*::argument:->command'\n"
      "  [[ $state == command ]] && (( $+functions[_poet_solve_command_$words[1]] )) &&\n"
      "    _poet_solve_command_$words[1]\n}}\n\n",
      arguments_of(program));
  return script +
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _poet_solve \"$@\"\nelse\n"
         "  compdef _poet_solve poet-solve\nfi\n";
}

}  // namespace poet::cli
