// Round ticks: 1, 2 or 5 times a power of ten, and of a unit that suits the largest value. Sizes
// count in powers of 1024, as budgets do. Ticks are computed as whole multiples of their step and
// never added up, so that rounding does not make the last one disappear.

#include "pictures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace poet::plot {
namespace {

/// Returns the multiples of a round step of `unit`, each with label(value / unit).
template <typename Label>
std::vector<Tick> ticks(double low, double high, double unit, int count, Label label) {
  std::vector<Tick> result;
  const double step = round_step((high - low) / unit, count);
  const double slack = 1e-9 * (high - low) / unit;
  const double first = std::ceil((low / unit - slack) / step);
  for (int k = 0; k <= count && (first + k) * step <= high / unit + slack; ++k) {
    const double value = (first + k) * step;
    result.push_back({.value = value * unit, .label = label(value)});
  }
  return result;
}

struct Unit {
  double size;
  const char* name;
};

/// The largest of these units that leaves `most` at least 1; else the smallest.
/// One unit for a whole axis, so that its numbers can be compared without a look at the units.
template <std::size_t kCount>
Unit unit_for(double most, const std::array<Unit, kCount>& units) {
  Unit best = units.front();
  for (const Unit& unit : units) {
    if (most >= unit.size) best = unit;
  }
  return best;
}

constexpr std::array<Unit, 6> kByteUnits{{{1, "B"},
                                          {1024, "KiB"},
                                          {1048576, "MiB"},
                                          {1073741824, "GiB"},
                                          {1099511627776, "TiB"},
                                          {1125899906842624, "PiB"}}};
constexpr std::array<Unit, 7> kJouleUnits{
    {{1e-9, "nJ"}, {1e-6, "uJ"}, {1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}, {1e6, "MJ"}, {1e9, "GJ"}}};

constexpr std::array<Unit, 6> kSecondUnits{
    {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}}};

/// Writes a tick with enough digits to differ from its neighbours and without the rounding noise of
/// k * step.
std::string number(double value) {
  return fmt::format("{:.10g}", value + 0.0);
}

std::vector<Tick> ticks_in(const Unit& unit, double low, double high, int count) {
  return ticks(low, high, unit.size, count,
               [&](double value) { return fmt::format("{} {}", number(value), unit.name); });
}

}  // namespace

double Scale::clamped(double value) const {
  return (*this)(std::clamp(value, low, high));
}

double round_step(double span, int count) {
  const double least = span / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> byte_ticks(double low, double high, int count) {
  return ticks_in(unit_for(high, kByteUnits), low, high, count);
}

std::vector<Tick> joule_ticks(double low, double high, int count) {
  return ticks_in(unit_for(high, kJouleUnits), low, high, count);
}

std::vector<Tick> second_ticks(double low, double high, int count) {
  return ticks_in(unit_for(high, kSecondUnits), low, high, count);
}

std::vector<Tick> ratio_ticks(double low, double high, int count) {
  return ticks(low, high, 1, count, [](double value) { return number(value) + "x"; });
}

std::vector<Tick> percent_ticks(double low, double high, int count) {
  return ticks(low, high, 0.01, count,
               [](double value) { return fmt::format("{} %", number(value)); });
}

// For energies that are not round, such as the ends of an axis of overheads.
std::vector<std::string> joule_labels(std::span<const Joules> energies) {
  constexpr int kMaxDecimals = 12;
  std::vector<std::string> labels;
  if (energies.empty()) return labels;
  const Unit unit = unit_for(energies.back(), kJouleUnits);
  double step = energies.back() / unit.size;
  for (std::size_t e = 1; e < energies.size(); ++e) {
    step = std::min(step, (energies[e] - energies[e - 1]) / unit.size);
  }
  const double decimals = std::max(0.0, std::ceil(-std::log10(step) - 1e-9));
  if (!(step > 0) || !(decimals <= kMaxDecimals)) return labels;
  for (const Joules energy : energies) {
    labels.push_back(
        fmt::format("{:.{}f} {}", energy / unit.size, static_cast<int>(decimals), unit.name));
  }
  return labels;
}

}  // namespace poet::plot
