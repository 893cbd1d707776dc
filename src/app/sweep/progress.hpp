#pragma once

#include <chrono>
#include <string>

#include "poet/solve.hpp"

namespace poet::cli {

/// Shows where a sweep stands: on a terminal one line that is overwritten, with a bar, the best of
/// the solve that was heard of last, and an estimate of what is left; in a pipe or log a line for
/// each thing that is finished.
class SweepProgress {
 public:
  /// `total` things are to be done, of which `done` are done already.
  SweepProgress(bool quiet, int total, int done);
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void started(const std::string& name);
  void progress(const std::string& name, const Progress& progress);
  /// `result` says what came out.
  void finished(const std::string& name, const std::string& result);
  /// Wipes the terminal's line; call before anything else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& tail);
  std::string time_left() const;

  bool quiet_;
  bool terminal_;
  bool dirty_ = false;
  int total_;
  int done_;
  int done_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace poet::cli
