#pragma once

#include <string>

#include "poet/solve.hpp"

namespace poet::cli {

/// What a solve still has to show, what its phase waits for, and how long that may take: for
/// --verbose.
class Outlook {
 public:
  /// The gap that was asked for, 0 if all is to be closed or none is known, and the time limit, 0
  /// if there is none.
  explicit Outlook(double gap = 0, Seconds limit = 0) : gap_(gap), limit_(limit) {}

  /// To be called with every progress, as phases begin in any of them.
  void note(const Progress& now);
  /// A line about the last progress.
  std::string text() const;

 private:
  double missing() const;
  std::string pace() const;

  double gap_;
  Seconds limit_;
  Progress now_;
  std::string phase_;
  Seconds began_ = 0;  // the phase
  double bound_ = 0;   // when it began
};

}  // namespace poet::cli
