#pragma once

#include <string>

#include "poet/solve.hpp"

namespace poet::cli {

/// Shows where a solve stands: one line that is overwritten on a terminal; in a pipe or log a new
/// line every few seconds and whenever the phase or the best schedule changes.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  /// Wipes the terminal's line; call before anything else is printed.
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  bool dirty_ = false;
  double last_shown_ = -1e9;
  std::string last_phase_;
  double last_incumbent_ = 0;
};

}  // namespace poet::cli
