#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "poet/solver_features.hpp"
#include "poet/units.hpp"

namespace poet {

/// How much work a solve does before it stops.
enum class Effort {
  fast,      ///< a short local search and the root relaxation: a good schedule and a bound
  standard,  ///< until the gap is met or time is up
  proof,     ///< as `standard`; the command line sets a gap of 0 and no time limit with it
};

/// The efforts by the words that --effort and files use.
inline constexpr std::array<std::pair<std::string_view, Effort>, 3> kEffortNames{
    {{"fast", Effort::fast}, {"default", Effort::standard}, {"proof", Effort::proof}}};

/// What a user can set that changes results, besides the problem itself.
struct SolveSettings {
  double gap = 1e-4;                 ///< stop when (energy - bound) / energy is at most this
  double mem_power_scale = 1;        ///< factor on the platform's memory power, for cost_graph()
  Seconds time_limit_seconds = 300;  ///< wall clock of one solve; 0 = none
  int threads = 1;                   ///< of CBC; one repeats exactly
  std::uint32_t seed = 1;
  Effort effort = Effort::standard;
  SolverFeatures features;

  bool operator==(const SolveSettings&) const = default;
};

/// Calls visit("key", &SolveSettings::member) for each number, in the order in which files state
/// them. A new number needs a line here to be in every schedule file and in every journal.
template <typename Visit>
void visit_settings(Visit&& visit) {
  visit("gap", &SolveSettings::gap);
  visit("mem_power_scale", &SolveSettings::mem_power_scale);
  visit("time_limit_seconds", &SolveSettings::time_limit_seconds);
  visit("solve_threads", &SolveSettings::threads);
  visit("seed", &SolveSettings::seed);
}

}  // namespace poet
