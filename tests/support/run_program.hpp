#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace poet::test {

/// A program to run, as execve would have it: no shell takes part.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
  std::string stdin_text{};
  std::vector<std::pair<std::string, std::string>> environment{};  ///< added to this process's
  std::string directory{};           ///< to run in; empty: this process's
  std::string interrupt_after{};     ///< signals are sent once stderr holds this text; empty: never
  std::vector<int> signals{SIGINT};  ///< one right after the other
  std::function<void(pid_t program)> interrupt{};  ///< what is done instead of sending signals
  bool stderr_is_terminal = false;
  bool stdout_is_terminal = false;
  unsigned short terminal_columns = 100;
  double kill_after_seconds = 120;
};

/// How it ended, and what it said.
struct Finished {
  std::string out;
  std::string err;
  int status = -1;      ///< exit status; -1 where a signal ended it
  int signal = 0;       ///< the signal that ended it, or 0
  bool killed = false;  ///< it ran out of the time that the command gave it
  double wall_seconds = 0;
};

/// Runs it to its end. Throws std::system_error if it cannot be started.
Finished run_program(const Command& command);

}  // namespace poet::test
