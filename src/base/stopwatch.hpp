#pragma once

#include <chrono>

#include "poet/units.hpp"

namespace poet {

/// Wall-clock seconds since its construction.
class Stopwatch {
 public:
  Seconds elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace poet
