#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "app/terminal/outlook.hpp"
#include "poet/solve.hpp"

namespace poet::cli {

/// One line on a terminal that is overwritten; nothing in a pipe or log.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool on_terminal() const { return terminal_; }
  bool quiet() const { return quiet_; }
  void draw(std::string text);
  /// Wipes the line; call before anything else is printed.
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  bool dirty_ = false;
};

/// Shows where a solve stands: the line of a terminal; in a pipe or log a new line every few
/// seconds, at once if a phase begins, and within a second if the schedule gets better. With
/// --verbose a line says what is still open and why, if a phase begins and every few seconds.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet, Outlook outlook = Outlook())
      : line_(quiet), outlook_(std::move(outlook)) {}

  void show(const Progress& progress);
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  Outlook outlook_;
  double last_shown_ = -1e9;
  double last_outlook_ = -1e9;
  std::string last_phase_;
  double last_incumbent_ = 0;
};

/// Shows where many tasks stand, such as the points of a sweep: on a terminal a bar, the task that
/// was heard of last, and an estimate of what is left; in a pipe or log a line for each task that
/// is finished.
class TaskLine {
 public:
  /// `total` tasks are to be done, of which `done` are done already.
  TaskLine(bool quiet, int total, int done)
      : line_(quiet), total_(total), done_(done), done_before_(done) {}

  void started(const std::string& name);
  void progress(const std::string& name, const Progress& progress);
  /// `result` says what came out.
  void finished(const std::string& name, const std::string& result);
  void clear() { line_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& tail);
  std::string time_left() const;

  StatusLine line_;
  int total_;
  int done_;
  int done_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace poet::cli
