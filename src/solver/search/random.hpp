#pragma once

#include <cstdint>

namespace poet {

/// SplitMix64 (Steele, Lea and Flood 2014). It gives the same numbers on every machine, which the
/// distributions of the standard library do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound must be positive and below 2^32.
  int below(int bound) {
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(bound) >> 32);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace poet
