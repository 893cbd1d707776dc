#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "poet/schedule_file.hpp"
#include "poet/sweep.hpp"
#include "sweep/fields.hpp"

namespace poet {

/// What a row is about.
struct RowProblem {
  std::string model;
  std::string model_sha256;
  std::optional<std::string> platform;  ///< absent for a model that brings its costs
  std::optional<std::string> platform_sha256;
  std::string graph_sha256;  ///< in the given order, without copies: what the problem is
  /// In the row's order and with its copies, which its proofs are about; empty: the same.
  std::string order_sha256{};
  Copies copies{};  ///< of a search, its mode and what it chose; else as the model has them
  std::int64_t batch_size = 1;
  double mem_power_scale = 1;
  Limits limits;                    ///< without a RAM budget if that is the answer
  double runtime_budget_ratio = 0;  ///< of the time to compute every node once; 0 if that is 0
  Objective objective = Objective::energy;  ///< not in files: sweeps have no other

  bool operator==(const RowProblem&) const = default;
};

/// One point of a sweep as a line of its result. See docs/sweep-format.md.
struct SweepRow {
  enum class Status { optimal, feasible, infeasible, unknown, failed };

  int point = 0;
  Status status = Status::unknown;
  std::string reason;
  RowProblem problem;
  double requested_gap = 0;
  std::optional<poet::Status> given_order{};  ///< as SweepOutcome::given_order
  SweepOutcome::Origin origin = SweepOutcome::Origin::solved;
  std::optional<int> origin_point;
  std::optional<std::string> schedule_file;  ///< where the schedule is, if it was written
  Joules baseline_energy_joules = 0;
  Bytes baseline_peak_ram_bytes = 0;
  std::optional<Summary> summary;  ///< of the schedule, if there is one
  Seconds wall_seconds = 0;
};

/// One answer to --min-ram.
struct MinRamRow {
  enum class Status { exact, interval, infeasible, failed };

  int task = 0;
  Status status = Status::failed;
  std::string reason;
  RowProblem problem;
  std::optional<Bytes> smallest_ram_bytes;      ///< if exact
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

template <>
inline constexpr auto kNames<SweepRow::Status> =
    kWords<SweepRow::Status::optimal, SweepRow::Status::feasible, SweepRow::Status::infeasible,
           SweepRow::Status::unknown, SweepRow::Status::failed>;

template <>
inline constexpr auto kNames<MinRamRow::Status> =
    kWords<MinRamRow::Status::exact, MinRamRow::Status::interval, MinRamRow::Status::infeasible,
           MinRamRow::Status::failed>;

// The lines of a result; `format`, `version` and `timing` stand around them. See
// docs/sweep-format.md.

template <>
inline constexpr auto kFields<RowProblem> = std::tuple_cat(
    kMembers<&RowProblem::model, &RowProblem::model_sha256, &RowProblem::platform,
             &RowProblem::platform_sha256, &RowProblem::graph_sha256>,
    kMembersIn<InFile::left_out_if_default, &RowProblem::order_sha256, &RowProblem::copies>,
    std::tuple(Field<&RowProblem::batch_size>{.key = "batch_size", .least = 1}),
    kMembers<&RowProblem::mem_power_scale>,
    std::tuple(Field<&RowProblem::limits, &Limits::techniques>{"techniques"},
               Field<&RowProblem::limits, &Limits::runtime_budget_seconds>{
                   "runtime_budget_seconds"}),
    kMembers<&RowProblem::runtime_budget_ratio>, within<&RowProblem::limits>(kNewLimits));

/// Of a row that has one: it stands after the rest of the problem.
template <auto kHolder>
inline constexpr auto kRamBudgetField =
    Field<kHolder, &RowProblem::limits, &Limits::ram_budget_bytes>{"ram_budget_bytes"};

template <>
inline constexpr auto kFields<SweepRow> =
    std::tuple_cat(kMembers<&SweepRow::point, &SweepRow::status>,
                   std::tuple(Field<&SweepRow::problem>{}, kRamBudgetField<&SweepRow::problem>),
                   kMembers<&SweepRow::requested_gap, &SweepRow::baseline_energy_joules,
                            &SweepRow::baseline_peak_ram_bytes>,
                   std::tuple(Field<&SweepRow::summary>{}),
                   kMembers<&SweepRow::origin, &SweepRow::origin_point, &SweepRow::schedule_file>,
                   kMembersIn<InFile::null_if_empty, &SweepRow::reason>,
                   kMembersIn<InFile::left_out_if_empty, &SweepRow::given_order>);

template <>
inline constexpr auto kFields<MinRamRow> = std::tuple_cat(
    kMembers<&MinRamRow::task, &MinRamRow::status>, std::tuple(Field<&MinRamRow::problem>{}),
    kMembers<&MinRamRow::smallest_ram_bytes, &MinRamRow::infeasible_below_bytes,
             &MinRamRow::feasible_ram_bytes, &MinRamRow::working_set_bytes,
             &MinRamRow::baseline_peak_ram_bytes, &MinRamRow::node>,
    kMembersIn<InFile::null_if_empty, &MinRamRow::node_name, &MinRamRow::node_op,
               &MinRamRow::decided_by, &MinRamRow::reason>);

}  // namespace poet
