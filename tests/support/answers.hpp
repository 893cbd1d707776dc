#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "poet/solve.hpp"

namespace poet::test {

/// Relative: what sums of the same energies in another order can differ by.
inline constexpr double kSameEnergy = 1e-9;

inline bool settled(const SolveResult& result) {
  return result.status == Status::optimal || result.status == Status::infeasible;
}

/// Whether one answer rules the other out, as it stands. An answer that a time limit cut short
/// still has a bound, and perhaps a schedule.
inline bool rules_out(const SolveResult& one, const SolveResult& other) {
  if (!other.schedule) return false;
  return one.status == Status::infeasible ||
         one.lower_bound_joules > other.energy_joules * (1 + kSameEnergy);
}

inline bool differ(const SolveResult& a, const SolveResult& b) {
  if (rules_out(a, b) || rules_out(b, a)) return true;
  if (!settled(a) || !settled(b)) return false;
  return a.status != b.status ||
         std::abs(a.energy_joules - b.energy_joules) > kSameEnergy * a.energy_joules;
}

/// How two answers to one problem contradict each other; empty if they do not.
inline std::string contradiction(const SolveResult& expected, const SolveResult& found) {
  if (!differ(expected, found)) return {};
  const auto described = [](const SolveResult& result) {
    return fmt::format("{}, {:.17g} J, bound {:.17g} J, {}", status_name(result.status),
                       result.energy_joules, result.lower_bound_joules, result.reason);
  };
  return fmt::format("found {}; expected {}", described(found), described(expected));
}

}  // namespace poet::test
