#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace poet {

// Every quantity of this library has one of these types, or its unit in its name.
using Bytes = std::int64_t;  ///< memory, exact
using Joules = double;       ///< energy, SI
using Seconds = double;      ///< time, SI

/// The largest size accepted anywhere: up to it a double holds every byte count exactly.
inline constexpr Bytes kMaxBytes = Bytes{1} << 53;

/// The largest energy (joules) or time (seconds) accepted for one node: sums of them stay finite.
inline constexpr double kMaxCost = 1e30;

// The parsers return nothing for text that is not wholly what they read. They do not depend on the
// locale, and accept blanks between a number and its unit.

/// Parses a finite decimal number such as `1.5` or `1e-3`.
std::optional<double> parse_number(std::string_view text);

/// Parses a size from 0 to 2^53 bytes such as `737719`, `256KiB` or `1.5MB`. Units: B, kB, MB, GB,
/// TB, PB (powers of 1000), KiB, MiB, GiB, TiB, PiB, and K, M, G, T, P as `ls -h` has them (powers
/// of 1024), in any case. Rounds down to whole bytes.
std::optional<Bytes> parse_bytes(std::string_view text);

/// Parses a finite time with its unit: `12.5s`, `800ms`, `250us`, `2min` or `1h`.
std::optional<Seconds> parse_seconds(std::string_view text);

/// Whether zeros at the end of a fraction are shown: in a column of a table, `4.250` stands above
/// `4.000`; in a sentence, `4` is enough.
enum class Zeros { dropped, kept };

/// Formats `737719` as `720.4 KiB`; exact below 1 KiB.
std::string format_bytes(Bytes bytes, Zeros zeros = Zeros::dropped);

/// Formats `0.000553` as `553 uJ`: four significant digits and an SI prefix.
std::string format_joules(Joules energy, Zeros zeros = Zeros::dropped);

/// Formats `0.8` as `800 ms`: four significant digits and an SI prefix.
std::string format_seconds(Seconds time);

}  // namespace poet
