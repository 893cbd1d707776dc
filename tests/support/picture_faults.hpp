#pragma once

#include <string>

#include "support/run_program.hpp"

namespace poet::test {

/// What is wrong with the text of a picture for paper, and how many texts there are: see the
/// script.
inline std::string picture_faults(const std::string& picture) {
  const Finished run =
      run_program({.program = "python3",
                   .arguments = {POET_SOURCE_DIR "/tests/support/picture_faults.py"},
                   .stdin_text = picture});
  return run.status == 0 ? run.out : "not a picture for paper: " + run.err;
}

}  // namespace poet::test
