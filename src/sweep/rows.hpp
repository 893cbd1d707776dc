#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/min_ram.hpp"
#include "poet/report.hpp"
#include "poet/sweep.hpp"

namespace poet {

/// What a row is about: everything that identifies a problem but its RAM budget.
struct RowProblem {
  std::string model;
  std::string model_sha256;
  std::optional<std::string> platform;  ///< absent for a model that brings its costs
  std::optional<std::string> platform_sha256;
  std::string graph_sha256;
  std::int64_t batch_size = 1;
  double mem_power_scale = 1;
  std::string techniques;
  Seconds runtime_budget_seconds = 0;
  double runtime_budget_ratio = 0;  ///< of the time to compute every node once; 0 if that is 0

  bool operator==(const RowProblem&) const = default;
};

/// One point of a sweep as a line of its result. See docs/sweep-format.md.
struct SweepRow {
  int point = 0;
  std::string status;
  std::string reason;
  RowProblem problem;
  Bytes ram_budget_bytes = 0;
  double requested_gap = 0;
  std::string origin;
  std::optional<int> origin_point;
  std::optional<std::string> schedule_file;  ///< where the schedule is, if it was written
  Joules baseline_energy_joules = 0;
  Bytes baseline_peak_ram_bytes = 0;
  std::optional<Summary> summary;  ///< of the schedule, if there is one
  Seconds wall_seconds = 0;
};

/// One answer to --min-ram.
struct MinRamRow {
  int task = 0;
  std::string status;  ///< `exact`, `interval`, `infeasible` or `failed`
  std::string reason;
  RowProblem problem;
  std::optional<Bytes> smallest_ram_bytes;      ///< where exact
  std::optional<Bytes> infeasible_below_bytes;  ///< unless infeasible or failed; likewise below
  std::optional<Bytes> feasible_ram_bytes;
  std::optional<int> node;
  std::string node_name;
  std::string node_op;
  std::string decided_by;  ///< `working set` or `peak`
  Bytes working_set_bytes = 0;
  Bytes baseline_peak_ram_bytes = 0;
  Seconds wall_seconds = 0;
};

/// What the solves of a sweep have in common.
struct SweepSettings {
  double mem_power_scale = 1;
  double gap = 0;
  Seconds time_limit_seconds = 0;
  int threads = 1;
  std::uint32_t seed = 1;
  bool require_optimal = false;
};

/// The file of a point that has a schedule: what a single solve of it would have written. Replays
/// the schedule within the point's limits; throws InternalError where it is not valid.
Report point_report(const SweepGrid& grid, const SweepPoint& point, const SweepOutcome& outcome,
                    const SweepSettings& settings);

/// Everything about a point but its schedule's file.
SweepRow make_row(const SweepGrid& grid, const std::vector<SweepPoint>& points, int point,
                  const SweepOutcome& outcome, const SweepSettings& settings);

MinRamRow make_row(const SweepGrid& grid, const std::vector<MinRamTask>& tasks, int task,
                   const MinRam& found, const SweepSettings& settings);

}  // namespace poet
