#include "base/text/figures.hpp"

#include <cmath>

#include <fmt/format.h>

namespace poet {
namespace {

/// A share that two digits would show as 1e+02 %.
constexpr double kNearlyAll = 0.995;

/// Whether a number other than zero would read as zero with so many decimals.
bool vanishes(double value, int decimals) {
  return value != 0 && std::abs(value) < 0.5 * std::pow(10, -decimals);
}

/// So many significant digits, but every digit in front of the point: no exponent if a file has
/// none.
std::string figure(double value, int digits) {
  constexpr double kLargest = 1e15;
  const bool whole = std::abs(value) >= std::pow(10, digits - 1) && std::abs(value) < kLargest;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
}

}  // namespace

std::pair<std::string, std::string> distinct(double a, double b) {
  constexpr int kFewest = 4;
  constexpr int kAll = 17;
  for (int digits = kFewest;; ++digits) {
    std::pair<std::string, std::string> texts{figure(a, digits), figure(b, digits)};
    if (a == b || texts.first != texts.second || digits == kAll) return texts;
  }
}

std::string gap_figure(double gap) {
  constexpr int kDecimals = 4;
  const double percent = 100 * gap;
  if (percent == 0) return "0";
  return vanishes(percent, kDecimals) ? fmt::format("{:.1e}", percent)
                                      : fmt::format("{:.{}f}", percent, kDecimals);
}

std::string gap_text(double gap) {
  if (gap == 0) return "exactly optimal";
  if (gap >= kNearlyAll) return "nothing of the energy is proven needed";
  return fmt::format("at most {:.2g} % above the optimum", 100 * gap);
}

std::string gap_text(double gap, const std::optional<double>& gap_extra) {
  if (gap == 0 || !gap_extra) return gap_text(gap);
  if (*gap_extra >= kNearlyAll) {
    return gap_text(gap) + ", nothing of the extra energy is proven needed";
  }
  return fmt::format("{}, {:.2g} % of the extra energy", gap_text(gap), 100 * *gap_extra);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string change_text(double change, int decimals) {
  const double percent = 100 * change;
  return vanishes(percent, decimals) ? fmt::format("{:+.1e} %", percent)
                                     : fmt::format("{:+.{}f} %", percent + 0.0, decimals);
}

}  // namespace poet
