#pragma once

#include <string>

#include "support/run_program.hpp"

namespace poet::test {

/// Whether there is a python3 to ask.
inline bool have_python() {
  static const bool kFound =
      run_program({.program = "python3", .arguments = {"-c", ""}}).status == 0;
  return kFound;
}

/// What an XML parser that knows nothing of us finds wrong with a document; empty for nothing.
inline std::string xml_fault(const std::string& text) {
  const Finished run = run_program(
      {.program = "python3",
       .arguments = {"-c",
                     "import sys, xml.etree.ElementTree as tree\n"
                     "root = tree.fromstring(sys.stdin.buffer.read())\n"
                     "assert root.tag == '{http://www.w3.org/2000/svg}svg', root.tag\n"},
       .stdin_text = text});
  return run.status == 0 ? "" : "not a picture in well-formed XML: " + run.err;
}

}  // namespace poet::test
