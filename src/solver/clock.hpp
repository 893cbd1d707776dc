#pragma once

#include <limits>

#include "base/stopwatch.hpp"
#include "poet/units.hpp"

namespace poet {

/// Counts down wall-clock seconds from its construction. Zero or less has expired at once; infinity
/// never does.
class Countdown {
 public:
  explicit Countdown(Seconds seconds) : seconds_(seconds) {}

  Seconds elapsed() const { return watch_.elapsed(); }
  Seconds remaining() const { return seconds_ - elapsed(); }
  bool expired() const { return remaining() <= 0; }

 private:
  Stopwatch watch_;
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
