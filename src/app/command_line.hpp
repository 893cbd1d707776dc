#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/terminal/deliver.hpp"

namespace poet::cli {

/// The words of a command line, and the parser of its command.
class CommandLine {
 public:
  CommandLine(int argc, const char* const* argv) : words_(argv, argv + argc) {}

  /// Reads it. The result does the work; it is empty if that was all, and --help or --version is on
  /// stdout then. Throws InputError for anything that is not of the documented form.
  Run parse(Session& session);

  /// Where the document of a failed run goes, as far as the command line has been read; nothing if
  /// the command leaves none.
  std::optional<Destination> error_destination() const;

 private:
  void spell_out_help();
  void parse_command(const Command& command, const std::vector<std::string>& words);
  void refuse_late_command(const std::string& first);

  std::vector<std::string> words_;
  CLI::App app_;
  bool error_document_ = true;
};

}  // namespace poet::cli
