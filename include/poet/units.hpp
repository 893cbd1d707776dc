#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace poet {

using Bytes = std::int64_t;  ///< memory, exact
using Joules = double;       ///< energy, SI
using Seconds = double;      ///< time, SI

/// The largest size accepted anywhere: up to it a double holds every byte count exactly.
inline constexpr Bytes kMaxBytes = Bytes{1} << 53;

/// The largest energy (joules) or time (seconds) accepted for one node: sums of them stay finite.
inline constexpr double kMaxCost = 1e30;

/// A share of some reference quantity; 1.0 is all of it.
struct Ratio {
  double value = 1.0;
};

/// A RAM budget as a user states it: bytes, or a share of the baseline's peak RAM.
using RamBudget = std::variant<Bytes, Ratio>;

/// A runtime budget as a user states it: a multiple of the time to compute every node once
/// (POET's meaning), or absolute seconds.
using RuntimeBudget = std::variant<Ratio, double>;

/// Parses `737719`, `256KiB`, `1.5MB` (bytes) or `60%` (share of the baseline's peak RAM).
/// Suffixes: B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024), any case.
/// A size that is not a whole number of bytes is rounded down: a budget never grows.
/// Throws InputError unless the result is at least one byte and at most 2^53.
RamBudget parse_ram_budget(std::string_view text);

/// Parses `1.5` (multiple) or `12.5s`, `800ms`, `250us`, `2min`, `1h` (absolute).
/// Throws InputError for anything not finite or not positive, and for a multiple below 1.
RuntimeBudget parse_runtime_budget(std::string_view text);

/// `737719` -> `720.4 KiB`; exact below 1 KiB.
std::string format_bytes(Bytes bytes);

/// `0.000553` -> `553 uJ`: four significant digits and an SI prefix.
std::string format_joules(Joules energy);

/// `0.8` -> `800 ms`: four significant digits and an SI prefix.
std::string format_seconds(Seconds time);

}  // namespace poet
