#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// What a program made of its stdin.
struct FilterRun {
  std::string out;      ///< all that it wrote to stdout, unless there is a problem
  std::string problem;  ///< one line, to follow the program's name: `ended with exit status 1: ...`
  bool missing = false;  ///< the problem: the program does not exist
};

/// Runs a program with this stdin, and kills it when `seconds` have passed. It is found by the
/// absolute paths in PATH and run without a shell: no name of a file can become a command. Never
/// throws; a program that is missing or fails, or writes more than 256 MiB, is a result.
FilterRun run_filter(const std::string& program, const std::vector<std::string>& arguments,
                     std::string_view input, Seconds seconds);

}  // namespace poet
