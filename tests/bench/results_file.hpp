#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/files/append_log.hpp"
#include "measure.hpp"

namespace poet::bench {

/// The measurements of a run, one JSON object on a line, each of them on the disk as soon as it is
/// there. A run that was ended goes on where it was.
class ResultsFile {
 public:
  /// Opens an earlier file or makes one. What did not end well is dropped, to be solved again.
  /// Throws InputError with file and line for a solve with another gap, time or memory limit or
  /// another build of the program, and where read_jsonl() does.
  ResultsFile(const std::string& path, const Conditions& conditions);

  /// What the file had when it was opened, or nullptr.
  const Measurement* find(const Instance& instance, const std::string& disabled) const;
  void append(const Measurement& measurement);

 private:
  std::map<std::string, Measurement> earlier_;  ///< by instance and what was disabled
  std::optional<Journal> journal_;
};

}  // namespace poet::bench
