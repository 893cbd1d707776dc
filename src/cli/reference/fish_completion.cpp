#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completion.hpp"

namespace poet::cli {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

/// Tells which command the line is for, past the values of options, and completes lists.
std::string functions(const CommandEntry& program) {
  std::string with_value;
  for (const OptionEntry& option : program.options) {
    if (!option.takes_value()) continue;
    for (const std::string& name : option.names) with_value += " " + name;
  }
  std::string commands;
  for (const CommandEntry& command : program.commands) commands += " " + command.name;
  return fmt::format(R"(function __poet_solve_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command main
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case{}
                set is_value 1
            case{}
                set command $word
                break
        end
    end
    test $command = $argv[1]
end

function __poet_solve_list
    set -l done (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    for word in $argv
        string match -q "*,$word,*" ",$done"; or echo $done$word
    end
end

)",
                     with_value, commands);
}

std::string values_part(const Values& values) {
  std::string part = values.files ? " -r -F" : " -x";
  const std::string words = fmt::format("{}", fmt::join(values.words, " "));
  if (values.folders) {
    part += " -a '(__fish_complete_directories)'";
  } else if (values.list && !words.empty()) {
    part += fmt::format(" -a '(__poet_solve_list {})'", words);
  } else if (!words.empty()) {
    part += fmt::format(" -a '{}'", words);
  }
  return part;
}

std::string lines_of(const CommandEntry& command) {
  const std::string where = command.name.empty() ? "main" : command.name;
  const std::string start = fmt::format("complete -c poet-solve -n '__poet_solve_at {}'", where);
  std::string lines;
  for (const OptionEntry& option : command.options) {
    lines += start;
    for (const std::string& name : option.names) {
      lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.takes_value()) lines += values_part(option.values);
    lines += " -d " + quoted(first_clause(option.description)) + "\n";
  }
  for (const OptionEntry& argument : command.arguments) {
    if (argument.values.files) {
      lines += start + " -F\n";
      break;
    }
  }
  for (const CommandEntry& sub : command.commands) {
    lines +=
        fmt::format("{} -a {} -d {}\n", start, sub.name, quoted(first_clause(sub.description)));
  }
  return lines;
}

}  // namespace

std::string fish_completion(const CommandEntry& program) {
  std::string script =
      "# Completion of poet-solve for fish, written by `poet-solve --completion fish`.\n\n" +
      functions(program) + "complete -c poet-solve -f\n" + lines_of(program);
  for (const CommandEntry& command : program.commands) script += lines_of(command);
  return script;
}

}  // namespace poet::cli
