#include "cli/options/misplaced.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "io/text/shown.hpp"
#include "io/text/suggest.hpp"

namespace poet::cli {
namespace {

bool has_option(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw(name) != nullptr;
}

/// How to call the help of a command, or of the whole program.
std::string help_of(const CLI::App& app) {
  const bool is_command = app.get_parent() != nullptr;
  return fmt::format("poet-solve {}{}--help", is_command ? app.get_name() : "",
                     is_command ? " " : "");
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

[[noreturn]] void refuse_option(const CLI::App& app, const CLI::App& where, std::string name) {
  name.resize(std::min(name.find('='), name.size()));
  if (&where != &app && has_option(app, name)) {
    throw InputError(name, fmt::format("'{}' does not have it, only the single solve does ({})",
                                       where.get_name(), help_of(where)));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (&where != &app || !has_option(*command, name)) continue;
    throw InputError(name, fmt::format("found without '{}', which has it", command->get_name()));
  }
  throw InputError(fmt::format("found the unknown option '{}'{} ({} shows every option)",
                               shown(name, 80), suggestion(name, long_names(where)),
                               help_of(where)));
}

[[noreturn]] void refuse_word(const CLI::App& app, const CLI::App& where, const std::string& word) {
  if (&where != &app) {
    throw InputError(fmt::format("found '{}' after all that '{}' takes ({})", shown(word, 80),
                                 where.get_name(), help_of(where)));
  }
  const std::vector<std::string> commands = command_names(app);
  throw InputError(fmt::format("found '{}'; expected an option or a command ({}){}",
                               shown(word, 80), fmt::join(commands, ", "),
                               suggestion(word, commands)));
}

void refuse_before(const CLI::App& app, const CLI::App& command) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--quiet" || name == "--verbose" || name == "--log-file") {
      continue;
    }
    const std::string& word = command.get_name();
    throw MisplacedOption(
        name, has_option(command, name)
                  ? fmt::format("found before '{}'; expected after it: poet-solve {} ... {}", word,
                                word, name)
                  : fmt::format("found before '{}', which does not have it; only the single solve "
                                "does ({})",
                                word, help_of(command)));
  }
}

}  // namespace

void refuse_lost_options(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) refuse_before(app, *command);
}

void refuse_unexpected(const CLI::App& app) {
  const CLI::App* where = &app;
  std::vector<std::string> words = app.remaining();
  for (const CLI::App* command : app.get_subcommands()) {
    if (!words.empty()) break;
    where = command;
    words = command->remaining();
  }
  const std::string word = words.empty() ? std::string() : words.front();
  if (word.starts_with('-')) refuse_option(app, *where, word);
  refuse_word(app, *where, word);
}

}  // namespace poet::cli
