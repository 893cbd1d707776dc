#pragma once

#include <chrono>
#include <limits>

#include "poet/units.hpp"

namespace poet {

/// Counts down wall-clock seconds from its construction. Zero or less has expired at once; infinity
/// never does.
class Countdown {
 public:
  explicit Countdown(Seconds seconds) : seconds_(seconds) {}

  Seconds elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Seconds remaining() const { return seconds_ - elapsed(); }
  bool expired() const { return remaining() <= 0; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Seconds seconds_;
};

/// One wall clock over a whole solve.
class SolveClock : public Countdown {
 public:
  /// `limit` in seconds; 0 means none.
  explicit SolveClock(Seconds limit)
      : Countdown(limit > 0 ? limit : std::numeric_limits<double>::infinity()) {}
};

}  // namespace poet
