#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace poet::cli {

/// What can stand for the value of an option or an argument, as far as it can be listed.
struct Values {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
  bool list = false;  ///< several of the words, separated by commas

  bool known() const { return !words.empty() || files || folders; }
};

/// An option, a flag, or an argument that has no name of its own.
struct OptionEntry {
  std::vector<std::string> names;  ///< `-q`, `--quiet`; of an argument, what --help calls it
  std::string value;               ///< `FILE`; empty for a flag
  std::string fallback;            ///< what holds where it is not given, if that can be said
  std::string description;
  std::string group;
  Values values;
  bool required = false;

  bool takes_value() const { return !value.empty(); }
};

/// A command, or the program as a whole, as --help shows it.
struct CommandEntry {
  std::string name;  ///< empty for the program
  std::string description;
  std::string footer;
  std::vector<OptionEntry> options;
  std::vector<OptionEntry> arguments;
  std::vector<CommandEntry> commands;
};

/// The table of everything that `app` takes; options that --help hides are left out.
CommandEntry command_table(const CLI::App& app);

}  // namespace poet::cli
