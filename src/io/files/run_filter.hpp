#pragma once

#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

/// How a program that reads a file and writes to its stdout has ended.
struct FilterRun {
  enum class End { fine, missing, failed, too_slow };
  End end = End::fine;
  std::string out;      ///< all that it wrote, when fine
  std::string message;  ///< for people, when it failed
};

/// Runs a program, found by PATH and without a shell, with its stdin from the file. It is killed
/// when `seconds` have passed.
FilterRun run_filter(const std::string& program, const std::vector<std::string>& arguments,
                     const std::string& input_path, Seconds seconds);

}  // namespace poet
