#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// What one technique buys: all techniques on, against this one off, over the problems where both
/// solves ended well.
struct TechniqueEffect {
  std::string technique;
  int problems = 0;
  int proven_with = 0;
  int proven_without = 0;
  /// Geometric mean of time with / time without. A solve that proved nothing counts as its limit.
  double time_ratio = 1;
  bool has_unproven = false;  ///< so that the ratio is only what the limit shows
  /// Geometric mean of gap with / gap without. A gap within the one asked for counts as that one,
  /// a missing schedule as a gap of 1.
  double gap_ratio = 1;
};

/// One per technique that occurs, in the order of kFeatureSwitches.
std::vector<TechniqueEffect> technique_effects(const std::vector<Measurement>& measurements);

/// The answers of one problem that exclude each other: a bound above a schedule's energy, or
/// infeasible beside a schedule. Whatever is switched off, the answer must stay the same.
std::vector<std::string> contradictions(const std::vector<Measurement>& measurements);

/// Effects and contradictions for people.
std::string ablation_table(const std::vector<Measurement>& measurements);

}  // namespace poet::bench
