#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace poet {

// Numbers in messages and tables. Files have every digit; people read a few, and the ones that
// matter.

/// Two numbers with as few digits as show that they differ, four at least; `12.35` and `12.36`.
/// Equal ones have four digits.
std::pair<std::string, std::string> distinct(double a, double b);

/// The same for values of which every digit or letter is shown.
template <typename Value>
std::pair<std::string, std::string> distinct(const Value& a, const Value& b) {
  return {fmt::format("{}", a), fmt::format("{}", b)};
}

/// A relative gap in percent, for a table: `0.0100`, `30.1000`, `1.2e-07` for one that would read
/// as zero, and `0` for none at all.
std::string gap_figure(double gap);

/// A relative gap in a sentence: `at most 0.01 % above the optimum`, or `exactly optimal` if it is
/// none.
std::string gap_text(double gap);

/// The same with what it is of the extra energy, if that is known: `at most 0.01 % above the
/// optimum, 0.98 % of the extra energy`.
std::string gap_text(double gap, const std::optional<double>& gap_extra);

/// `1 finding`, `2 findings`.
std::string counted(std::size_t count, std::string_view what);

/// A relative change in percent with its sign: `+0.952 %`; `+1.2e-07 %` for one that would read as
/// zero, and `+0.000 %` for none.
std::string change_text(double change, int decimals = 3);

}  // namespace poet
