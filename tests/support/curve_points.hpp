#pragma once

#include <string>
#include <vector>

#include "poet/plot.hpp"

namespace poet::test {

/// A point of a sweep of `tiny` on `board`, whose baseline takes 10 J; named after its result.
inline CurvePoint curve_point(const std::string& techniques, Bytes budget, Status status,
                              Joules energy, Joules bound) {
  return {.model = "tiny",
          .platform = "board",
          .techniques = techniques,
          .ram_budget_bytes = budget,
          .runtime_budget_ratio = 1.5,
          .status = status,
          .energy_joules = energy,
          .lower_bound_joules = bound,
          .baseline_energy_joules = 10};
}

/// Two curves with every kind of point.
inline std::vector<CurvePoint> small_sweep() {
  return {curve_point("remat+paging", 400, Status::optimal, 10, 10),
          curve_point("remat+paging", 300, Status::feasible, 12, 11),
          curve_point("remat+paging", 200, Status::optimal, 14, 14),
          curve_point("remat+paging", 100, Status::infeasible, 0, 0),
          curve_point("remat", 100, Status::infeasible, 0, 0),
          curve_point("remat", 200, Status::infeasible, 0, 0),
          curve_point("remat", 300, Status::unknown, 0, 12),
          curve_point("remat", 400, Status::optimal, 10, 10)};
}

}  // namespace poet::test
