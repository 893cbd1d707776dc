#pragma once

#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// The end of a program that reads a file and writes to its stdout.
struct FilterRun {
  enum class End { fine, missing, failed, too_slow };
  End end = End::fine;
  std::string out;      ///< all that it wrote, if fine
  std::string message;  ///< one line, if it failed: exit status and the first line of stderr
};

/// Runs a program with its stdin from the file, and kills it when `seconds` have passed. It is
/// found by PATH and run without a shell: no name of a file can become a command. Never throws; a
/// program that is missing or fails is a result.
///
/// Both its pipes are read to their ends, so it never blocks on a full one; more than 256 MiB of
/// output counts as a failure.
FilterRun run_filter(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input_path, Seconds seconds);

}  // namespace poet
