#pragma once

#include <chrono>
#include <limits>

#include "poet/units.hpp"

namespace poet {

/// One wall clock over a whole solve.
class SolveClock {
 public:
  /// `limit` in seconds; 0 means none.
  explicit SolveClock(Seconds limit) : limit_(limit) {}

  Seconds elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Seconds remaining() const {
    return limit_ > 0 ? limit_ - elapsed() : std::numeric_limits<double>::infinity();
  }
  bool expired() const { return remaining() <= 0; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Seconds limit_;
};

}  // namespace poet
