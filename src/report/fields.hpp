#pragma once

#include <limits>
#include <tuple>

#include "base/fields.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/settings.hpp"
#include "poet/solve.hpp"
#include "problem/fields.hpp"
#include "report/model_report.hpp"

namespace poet {

// The structs of a schedule file, keys in the order of the file. See docs/schedule-format.md.

template <>
inline constexpr Names<Instruction::Op, 5> kNames<Instruction::Op> = {{
    {Instruction::Op::compute, "compute"},
    {Instruction::Op::free, "free"},
    {Instruction::Op::page_out, "page_out"},
    {Instruction::Op::page_in, "page_in"},
    {Instruction::Op::move, "move"},
}};

template <>
inline constexpr Names<Status, 4> kNames<Status> = {{
    {Status::optimal, "optimal"},
    {Status::feasible, "feasible"},
    {Status::infeasible, "infeasible"},
    {Status::unknown, "unknown"},
}};

template <>
inline constexpr Names<Effort, 3> kNames<Effort> = {
    {{Effort::fast, "fast"}, {Effort::standard, "default"}, {Effort::proof, "proof"}}};

template <>
inline constexpr Names<Objective, 3> kNames<Objective> = {
    {{Objective::energy, "energy"}, {Objective::runtime, "runtime"}, {Objective::ram, "ram"}}};

template <>
inline constexpr Names<OrderKind, 3> kNames<OrderKind> = {
    {{OrderKind::given, "given"}, {OrderKind::search, "search"}, {OrderKind::stated, "stated"}}};

template <>
inline constexpr Names<Backward, 4> kNames<Backward> = {{
    {Backward::poet_chain, "poet-chain"},
    {Backward::exact, "exact"},
    {Backward::none, "none"},
    {Backward::explicit_nodes, "explicit"},
}};

template <>
inline constexpr auto kFields<ModelInfo> =
    std::tuple(Field<&ModelInfo::name>{"name"}, Field<&ModelInfo::source>{"source"},
               Field<&ModelInfo::batch_size>{.key = "batch_size", .least = 1},
               Field<&ModelInfo::node_count>{"node_count"},
               Field<&ModelInfo::forward_node_count>{"forward_node_count"},
               Field<&ModelInfo::backward>{"backward"}, Field<&ModelInfo::sha256>{"sha256"},
               Field<&ModelInfo::alignment>{
                   .key = "alignment", .in_file = InFile::left_out_if_default, .least = 1},
               Field<&ModelInfo::order>{"order", InFile::left_out_if_default},
               Field<&ModelInfo::graph_sha256>{"graph_sha256", InFile::left_out_if_default},
               Field<&ModelInfo::order_sha256>{"order_sha256", InFile::left_out_if_default});

template <>
inline constexpr auto kFields<PlatformInfo> = std::tuple(Field<&PlatformInfo::name>{"name"},
                                                         Field<&PlatformInfo::source>{"source"},
                                                         Field<&PlatformInfo::sha256>{"sha256"});

/// The numbers of SolveSettings as fields of the struct that holds them as this member.
template <auto kHolder>
inline constexpr auto kSettingFields = std::apply(
    []<auto... kMember>(const Setting<kMember>&... setting) {
      return std::tuple(Field<kHolder, kMember>{
          setting.key, setting.is_new ? InFile::left_out_if_empty : InFile::always}...);
    },
    kSettings);

template <>
inline constexpr auto kFields<Request> = std::tuple_cat(
    std::tuple(Field<&Request::limits, &Limits::ram_budget_bytes>{"ram_budget_bytes"},
               Field<&Request::limits, &Limits::runtime_budget_seconds>{"runtime_budget_seconds"},
               Field<&Request::runtime_budget_ratio>{"runtime_budget_ratio"},
               Field<&Request::limits, &Limits::techniques, &TechniqueSet::paging>{"paging"},
               Field<&Request::limits, &Limits::techniques, &TechniqueSet::remat>{"remat"}),
    kSettingFields<&Request::settings>, kNewLimitFields<&Request::limits>);

template <>
inline constexpr auto kFields<ProblemInfo> = std::tuple(
    Field<&ProblemInfo::model>{"model"}, Field<&ProblemInfo::platform>{"platform"},
    Field<&ProblemInfo::graph_sha256>{"graph_sha256"}, Field<&ProblemInfo::request>{"request"},
    Field<&ProblemInfo::node>{"node", InFile::left_out_if_empty},
    Field<&ProblemInfo::smallest_ram_bytes>{"smallest_ram_bytes", InFile::left_out_if_empty},
    Field<&ProblemInfo::smallest_ram_is_exact>{"smallest_ram_is_exact", InFile::with_previous},
    Field<&ProblemInfo::given_order>{"given_order", InFile::left_out_if_empty});

template <>
inline constexpr auto kFields<DeviceMemory> =
    std::tuple(Field<&DeviceMemory::parameters_bytes>{"parameters_bytes"},
               Field<&DeviceMemory::gradients_bytes>{"gradients_bytes"},
               Field<&DeviceMemory::optimizer_bytes>{"optimizer_bytes"},
               Field<&DeviceMemory::reserve_bytes>{"reserve_bytes"},
               Field<&DeviceMemory::flash_bytes>{"flash_bytes"});

template <>
inline constexpr auto kFields<Summary> = std::tuple(
    Field<&Summary::energy_joules>{"energy_joules"},
    Field<&Summary::compute_energy_joules>{"compute_energy_joules"},
    Field<&Summary::page_in_energy_joules>{"page_in_energy_joules"},
    Field<&Summary::page_out_energy_joules>{"page_out_energy_joules"},
    Field<&Summary::baseline_energy_joules>{"baseline_energy_joules"},
    Field<&Summary::energy_overhead>{"energy_overhead"},
    Field<&Summary::lower_bound_joules>{"lower_bound_joules"}, Field<&Summary::gap>{"gap"},
    Field<&Summary::gap_extra>{"gap_extra", InFile::left_out_if_empty},
    Field<&Summary::runtime_seconds>{"runtime_seconds"},
    Field<&Summary::runtime_ratio>{"runtime_ratio"},
    Field<&Summary::paging_seconds>{"paging_seconds"},
    Field<&Summary::peak_ram_bytes>{"peak_ram_bytes"},
    Field<&Summary::ram_budget_bytes>{"ram_budget_bytes"},
    Field<&Summary::baseline_peak_ram_bytes>{"baseline_peak_ram_bytes"},
    Field<&Summary::recompute_count>{"recompute_count"},
    Field<&Summary::page_out_count>{"page_out_count"},
    Field<&Summary::page_in_count>{"page_in_count"},
    Field<&Summary::page_out_bytes>{"page_out_bytes"},
    Field<&Summary::page_in_bytes>{"page_in_bytes"},
    Field<&Summary::compute_seconds>{"compute_seconds", InFile::left_out_if_default},
    Field<&Summary::compute_runtime_ratio>{"compute_runtime_ratio", InFile::left_out_if_default},
    Field<&Summary::peak_storage_bytes>{"peak_storage_bytes", InFile::left_out_if_default},
    Field<&Summary::memory>{"memory", InFile::left_out_if_default},
    Field<&Summary::steps_until_worn>{"steps_until_worn", InFile::left_out_if_default});

/// They stand beside the figures of a summary, in schedule files alone.
template <>
inline constexpr auto kFields<ObjectiveBounds> =
    std::tuple(Field<&ObjectiveBounds::runtime_lower_bound_seconds>{"runtime_lower_bound_seconds",
                                                                    InFile::left_out_if_empty},
               Field<&ObjectiveBounds::ram_lower_bound_bytes>{"ram_lower_bound_bytes",
                                                              InFile::left_out_if_empty});

/// Likewise.
template <>
inline constexpr auto kFields<ArenaFigures> =
    std::tuple(Field<&ArenaFigures::arena_bytes>{"arena_bytes", InFile::left_out_if_default},
               Field<&ArenaFigures::moved_bytes>{"moved_bytes", InFile::left_out_if_default},
               Field<&ArenaFigures::moved_seconds>{"moved_seconds", InFile::left_out_if_default},
               Field<&ArenaFigures::moved_joules>{"moved_joules", InFile::left_out_if_default},
               Field<&ArenaFigures::storage_bytes>{"storage_bytes", InFile::left_out_if_default});

/// Likewise.
template <>
inline constexpr auto kFields<OrderFigures> =
    std::tuple(Field<&OrderFigures::given_order_energy_joules>{"given_order_energy_joules",
                                                               InFile::left_out_if_default});

/// A schedule file has these apart from the others, under `timing`: they vary from run to run.
inline constexpr auto kTimingFields =
    std::tuple(Field<&SolveStatistics::heuristic_seconds>{"heuristic_seconds"},
               Field<&SolveStatistics::build_seconds>{"build_seconds"},
               Field<&SolveStatistics::milp_seconds>{"milp_seconds"},
               Field<&SolveStatistics::first_schedule_seconds>{"first_schedule_seconds"});
inline constexpr auto kWorkFields = std::tuple(
    Field<&SolveStatistics::formulation>{"formulation"}, Field<&SolveStatistics::rows>{"rows"},
    Field<&SolveStatistics::columns>{"columns"}, Field<&SolveStatistics::nonzeros>{"nonzeros"},
    Field<&SolveStatistics::nodes>{"nodes"});
inline constexpr Field<&SolveStatistics::wall_seconds> kWallSecondsField{"wall_seconds"};

template <>
inline constexpr auto kFields<SolveStatistics> = std::tuple_cat(kWorkFields, kTimingFields,
                                                                std::tuple(kWallSecondsField));

/// What `info` writes, its nodes apart: they are a list of structs.
template <>
inline constexpr auto kFields<ModelReport> = std::tuple(
    Field<&ModelReport::model>{"model"}, Field<&ModelReport::platform>{"platform"},
    Field<&ModelReport::element_bytes>{"element_bytes"},
    Field<&ModelReport::parameter_count>{"parameter_count"}, Field<&ModelReport::flop>{"flop"},
    Field<&ModelReport::baseline_energy_joules>{"baseline_energy_joules"},
    Field<&ModelReport::baseline_runtime_seconds>{"baseline_runtime_seconds"},
    Field<&ModelReport::baseline_peak_ram_bytes>{"baseline_peak_ram_bytes"},
    Field<&ModelReport::working_set_bytes>{"working_set_bytes"},
    Field<&ModelReport::working_set_node>{"working_set_node"},
    Field<&ModelReport::working_set_node_name>{"working_set_node_name"},
    Field<&ModelReport::working_set_node_op>{"working_set_node_op"});

template <>
inline constexpr auto kFields<Operand> = std::tuple(Field<&Operand::node>{"node"},
                                                    Field<&Operand::shape>{"shape"});

template <>
inline constexpr auto kFields<NodeFigures> = std::tuple(
    Field<&NodeFigures::node>{"node"}, Field<&NodeFigures::name>{"name"},
    Field<&NodeFigures::op>{"op"}, Field<&NodeFigures::backward>{"backward"},
    Field<&NodeFigures::shape>{"shape"}, Field<&NodeFigures::bytes>{"bytes"},
    Field<&NodeFigures::parameter_count>{"parameter_count"}, Field<&NodeFigures::flop>{"flop"},
    Field<&NodeFigures::runtime_seconds>{"runtime_seconds"},
    Field<&NodeFigures::energy_joules>{"energy_joules"}, Field<&NodeFigures::inputs>{"inputs"});

/// An index outside the graph is for the replay to report, with the place.
template <>
inline constexpr auto kFields<Instruction> = std::tuple(
    Field<&Instruction::op>{"op"},
    Field<&Instruction::node>{.key = "node", .least = std::numeric_limits<int>::min()},
    Field<&Instruction::over>{.key = "over", .in_file = InFile::left_out_if_empty},
    Field<&Instruction::offset>{"offset", InFile::left_out_if_default},
    Field<&Instruction::workspace_offset>{"workspace_offset", InFile::left_out_if_default},
    Field<&Instruction::slot>{"slot", InFile::left_out_if_default});

}  // namespace poet
