#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/run_program.hpp"

namespace poet::test {

/// What is wrong with the text of each picture, and how many texts there are: see the script.
/// Python takes longer to start than to read a picture, so it starts once.
inline std::vector<std::string> picture_faults(const std::vector<std::string>& pictures) {
  constexpr char kEnd = '\f';  // no XML has it
  std::string all;
  for (const std::string& picture : pictures) all += picture + kEnd;
  const Finished run =
      run_program({.program = "python3",
                   .arguments = {POET_SOURCE_DIR "/tests/support/picture_faults.py"},
                   .stdin_text = all});
  std::vector<std::string> faults;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = run.out.find(kEnd, start)) != std::string::npos;
       start = end + 1) {
    faults.push_back(run.out.substr(start, end - start));
  }
  faults.resize(pictures.size(), fmt::format("not a picture: {} {}", run.status, run.err));
  return faults;
}

}  // namespace poet::test
