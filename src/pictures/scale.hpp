#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet::plot {

/// Maps values low..high to pixels from..to; high must be above low.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;

  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
  /// Maps a value and keeps the result between `from` and `to`.
  double clamped(double value) const;
};

/// Ticks on an axis of usual length.
inline constexpr int kTickCount = 6;

/// A value worth a mark on an axis, and what to write there.
struct Tick {
  double value = 0;
  std::string label;
};

/// Returns a step of 1, 2 or 5 times a power of ten that cuts `span` into at most `count` parts.
double round_step(double span, int count);

/// Ticks at round values within [low, high], about `count` of them.
std::vector<Tick> byte_ticks(double low, double high, int count);     ///< `200 KiB`
std::vector<Tick> joule_ticks(double low, double high, int count);    ///< `200 mJ`
std::vector<Tick> second_ticks(double low, double high, int count);   ///< `1.5 s`
std::vector<Tick> ratio_ticks(double low, double high, int count);    ///< `1.5x`
std::vector<Tick> percent_ticks(double low, double high, int count);  ///< of ratios: `0.5 %`

/// Labels ascending energies in one unit, with as many decimals as neighbours need to differ.
/// Returns no labels if two energies are equal or more than twelve decimals would be needed.
std::vector<std::string> joule_labels(std::span<const Joules> energies);

}  // namespace poet::plot
