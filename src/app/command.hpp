#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/option_group.hpp"
#include "poet/exit_code.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// What all commands share.
/// A command gets it by reference, so that main() still has the problem when the command has ended
/// with an exception.
struct Session {
  std::string program;  ///< how this program was called
  bool quiet = false;
  bool verbose = false;
  std::string log_file;
  /// As far as the command has read it: the document of a failure states it.
  ProblemInfo problem{};
};

/// Does a command's work once its options have been read, and returns the exit status. Errors are
/// exceptions.
using Run = std::function<ExitCode(Session&)>;

/// A command: its row in the list, and its file in `commands`.
struct Command {
  const char* name;
  const char* summary;  ///< in the list of commands
  const char* footer;   ///< how --help ends
  /// Adds the options. Their values are in place when the result is called.
  Run (*add)(CLI::App& app);
  /// Whether a failed run leaves a JSON document on stdout or in --output. It does not if the
  /// command writes lines, findings or pictures.
  bool error_document = false;
};

/// All commands in the order of --help. The first may be left out of the command line.
const std::vector<const Command*>& all_commands();

}  // namespace poet::cli
