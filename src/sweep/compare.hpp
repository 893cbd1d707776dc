#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/rows.hpp"

namespace poet {

/// One point of a result that is compared with another.
struct ComparedPoint {
  SweepRow row;
  std::string fault;  ///< not empty: its schedule does not replay, and why
};

/// A result: a sweep, or one schedule file as its only point.
struct ComparedResult {
  bool is_sweep = false;
  bool has_problem = true;  ///< false for the document of a single solve that failed
  std::vector<ComparedPoint> points;
};

/// Something that differs at a point.
struct Difference {
  enum class Kind {
    energy,    ///< by more than the tolerance
    invalid,   ///< the new schedule does not replay
    schedule,  ///< one of the two has none
    proof,     ///< one of the two is proven, the other is not as well
    missing,   ///< one of the two has no such point
    problem,   ///< the two are about different problems: not comparable
  };
  Kind kind = Kind::energy;
  std::string point;    ///< `vgg16_cifar/m4 both 3x 1048576 bytes`
  std::string message;  ///< one line with the figures
  std::optional<Joules> baseline_joules;
  std::optional<Joules> fresh_joules;
};

template <>
inline constexpr Names<Difference::Kind, 6> kNames<Difference::Kind> = {{
    {Difference::Kind::energy, "energy"},
    {Difference::Kind::invalid, "invalid"},
    {Difference::Kind::schedule, "schedule"},
    {Difference::Kind::proof, "proof"},
    {Difference::Kind::missing, "missing"},
    {Difference::Kind::problem, "problem"},
}};

/// What became of a result.
struct Comparison {
  int points = 0;  ///< of the baseline
  double rel_tol = 0;
  std::vector<Difference> regressions;
  std::vector<Difference> improvements;
};

/// The first thing in which the problems of two points differ, their figures included; empty if
/// there is none.
std::string problem_difference(const SweepRow& baseline, const SweepRow& fresh);

/// In what a schedule file is not the one that a sweep's row is about; empty if it is.
std::string row_difference(const SweepRow& row, const ScheduleFile& report);

/// Compares a result with its baseline, point by point. Energies within `rel_tol` of the baseline's
/// are equal. Points of a sweep belong together when model, platform, costs, techniques and budgets
/// are the same. Throws InputError if only one of the two is a sweep, and for a point that is in
/// one sweep twice.
Comparison compare(const ComparedResult& baseline, const ComparedResult& fresh, double rel_tol);

}  // namespace poet
