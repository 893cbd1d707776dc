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
inline constexpr auto kNames<Instruction::Op> =
    kWords<Instruction::Op::compute, Instruction::Op::free, Instruction::Op::page_out,
           Instruction::Op::page_in, Instruction::Op::move>;

template <>
inline constexpr auto kNames<Status> =
    kWords<Status::optimal, Status::feasible, Status::infeasible, Status::unknown>;

template <>
inline constexpr Names<Effort, 3> kNames<Effort> = {
    {{Effort::fast, "fast"}, {Effort::standard, "default"}, {Effort::proof, "proof"}}};

template <>
inline constexpr auto kNames<Objective> =
    kWords<Objective::energy, Objective::runtime, Objective::ram>;

template <>
inline constexpr auto kNames<OrderKind> =
    kWords<OrderKind::given, OrderKind::search, OrderKind::stated>;

template <>
inline constexpr auto kNames<CopyChoice> =
    kWords<CopyChoice::none, CopyChoice::exact, CopyChoice::int8>;

template <>
inline constexpr auto kNames<EnergyEnd> =
    kWords<EnergyEnd::middle, EnergyEnd::low, EnergyEnd::high>;

template <>
inline constexpr Names<Backward, 4> kNames<Backward> = {{
    {Backward::poet_chain, "poet-chain"},
    {Backward::exact, "exact"},
    {Backward::none, "none"},
    {Backward::explicit_nodes, "explicit"},
}};

template <>
inline constexpr auto kNames<CopyMode> = kWords<CopyMode::off, CopyMode::exact, CopyMode::int8>;

template <>
inline constexpr auto kFields<Copies> = kMembers<&Copies::mode, &Copies::tensors>;

template <>
inline constexpr auto kFields<ModelInfo> = std::tuple_cat(
    kMembers<&ModelInfo::name, &ModelInfo::source>,
    std::tuple(Field<&ModelInfo::batch_size>{.key = "batch_size", .least = 1}),
    kMembers<&ModelInfo::node_count, &ModelInfo::forward_node_count, &ModelInfo::backward,
             &ModelInfo::sha256>,
    std::tuple(Field<&ModelInfo::alignment>{
        .key = "alignment", .in_file = InFile::left_out_if_default, .least = 1}),
    kMembersIn<InFile::left_out_if_default, &ModelInfo::order, &ModelInfo::graph_sha256,
               &ModelInfo::order_sha256, &ModelInfo::copies, &ModelInfo::uncopied_graph_sha256>);

template <>
inline constexpr auto kFields<PlatformInfo> =
    kMembers<&PlatformInfo::name, &PlatformInfo::source, &PlatformInfo::sha256>;

/// The numbers of SolveSettings as fields of the struct that holds them as this member.
template <auto kHolder>
inline constexpr auto kSettingFields = std::apply(
    []<auto... kMember>(const Setting<kMember>&... setting) {
      return std::tuple(
          Field<kHolder, kMember>{setting.key, setting.is_rare  ? InFile::left_out_if_default
                                               : setting.is_new ? InFile::left_out_if_empty
                                                                : InFile::always}...);
    },
    kSettings);

template <>
inline constexpr auto kFields<Request> = std::tuple_cat(
    std::tuple(Field<&Request::limits, &Limits::ram_budget_bytes>{"ram_budget_bytes"},
               Field<&Request::limits, &Limits::runtime_budget_seconds>{"runtime_budget_seconds"}),
    kMembers<&Request::runtime_budget_ratio>,
    std::tuple(Field<&Request::limits, &Limits::techniques, &TechniqueSet::paging>{"paging"},
               Field<&Request::limits, &Limits::techniques, &TechniqueSet::remat>{"remat"}),
    kSettingFields<&Request::settings>, within<&Request::limits>(kNewLimits),
    kMembersIn<InFile::left_out_if_default, &Request::at>);

template <>
inline constexpr auto kFields<ProblemInfo> = std::tuple_cat(
    kMembers<&ProblemInfo::model, &ProblemInfo::platform, &ProblemInfo::graph_sha256,
             &ProblemInfo::request>,
    kMembersIn<InFile::left_out_if_empty, &ProblemInfo::node, &ProblemInfo::smallest_ram_bytes>,
    kMembersIn<InFile::with_previous, &ProblemInfo::smallest_ram_is_exact>,
    kMembersIn<InFile::left_out_if_empty, &ProblemInfo::given_order>);

template <>
inline constexpr auto kFields<ExportedRam> = std::tuple_cat(
    kMembersIn<InFile::left_out_if_empty, &ExportedRam::arena_bytes>,
    kMembers<&ExportedRam::parameters_bytes, &ExportedRam::moments_bytes, &ExportedRam::kept_bytes,
             &ExportedRam::running_bytes, &ExportedRam::data_bytes, &ExportedRam::stack_bytes>,
    kMembersIn<InFile::left_out_if_empty, &ExportedRam::total_ram_bytes>);

template <>
inline constexpr auto kFields<DeviceMemory> =
    std::tuple_cat(kMembers<&DeviceMemory::parameters_bytes, &DeviceMemory::gradients_bytes,
                            &DeviceMemory::optimizer_bytes, &DeviceMemory::reserve_bytes,
                            &DeviceMemory::flash_bytes>,
                   kMembersIn<InFile::left_out_if_default, &DeviceMemory::exported>);

template <>
inline constexpr auto kFields<Summary> = std::tuple_cat(
    kMembers<&Summary::energy_joules, &Summary::compute_energy_joules,
             &Summary::page_in_energy_joules, &Summary::page_out_energy_joules,
             &Summary::baseline_energy_joules, &Summary::energy_overhead,
             &Summary::lower_bound_joules, &Summary::gap>,
    kMembersIn<InFile::left_out_if_empty, &Summary::gap_extra>,
    kMembers<&Summary::runtime_seconds, &Summary::runtime_ratio, &Summary::paging_seconds,
             &Summary::peak_ram_bytes, &Summary::ram_budget_bytes,
             &Summary::baseline_peak_ram_bytes, &Summary::recompute_count, &Summary::page_out_count,
             &Summary::page_in_count, &Summary::page_out_bytes, &Summary::page_in_bytes>,
    kMembersIn<InFile::left_out_if_default, &Summary::compute_seconds,
               &Summary::compute_runtime_ratio, &Summary::peak_storage_bytes, &Summary::memory,
               &Summary::steps_until_worn>);

/// They stand beside the figures of a summary, in schedule files alone.
template <>
inline constexpr auto kFields<ObjectiveBounds> =
    kMembersIn<InFile::left_out_if_empty, &ObjectiveBounds::runtime_lower_bound_seconds,
               &ObjectiveBounds::ram_lower_bound_bytes>;

/// Likewise.
template <>
inline constexpr auto kFields<ArenaFigures> =
    kMembersIn<InFile::left_out_if_default, &ArenaFigures::arena_bytes, &ArenaFigures::moved_bytes,
               &ArenaFigures::moved_seconds, &ArenaFigures::moved_joules,
               &ArenaFigures::storage_bytes>;

template <>
inline constexpr auto kNames<BankCost> = kWords<BankCost::time, BankCost::energy>;

template <>
inline constexpr auto kNames<TrainingArray> =
    kWords<TrainingArray::parameters, TrainingArray::gradients, TrainingArray::optimizer>;

template <>
inline constexpr auto kFields<KeptFigures> =
    kMembers<&KeptFigures::what, &KeptFigures::bank, &KeptFigures::bytes, &KeptFigures::read_bytes,
             &KeptFigures::written_bytes>;

template <>
inline constexpr auto kFields<BankFigures> = std::tuple_cat(
    kMembers<&BankFigures::name, &BankFigures::bytes, &BankFigures::kept_bytes,
             &BankFigures::offset, &BankFigures::used_bytes>,
    std::tuple(Field<&BankFigures::bytes_per_second>{.key = "bytes_per_second",
                                                     .is_positive = true}),
    kMembersIn<InFile::left_out_if_empty, &BankFigures::joules_per_byte>,
    kMembers<&BankFigures::read_bytes, &BankFigures::written_bytes, &BankFigures::seconds>,
    kMembersIn<InFile::left_out_if_empty, &BankFigures::joules>);

/// Likewise.
template <>
inline constexpr auto kFields<BankedFigures> =
    kMembersIn<InFile::left_out_if_default, &BankedFigures::bank_cost, &BankedFigures::bank_seconds,
               &BankedFigures::bank_joules, &BankedFigures::bank_bound, &BankedFigures::banks,
               &BankedFigures::kept>;

/// Likewise.
template <>
inline constexpr auto kFields<OrderFigures> =
    kMembersIn<InFile::left_out_if_default, &OrderFigures::given_order_energy_joules>;

/// Likewise.
template <>
inline constexpr auto kFields<CopyFigures> =
    kMembersIn<InFile::left_out_if_default, &CopyFigures::uncopied_baseline_joules,
               &CopyFigures::uncopied_energy_joules>;

/// Likewise.
template <>
inline constexpr auto kFields<CertifiedFigures> =
    kMembersIn<InFile::left_out_if_default, &CertifiedFigures::certified,
               &CertifiedFigures::certified_bound_joules>;

template <>
inline constexpr auto kFields<EnergyRange> =
    kMembers<&EnergyRange::figures, &EnergyRange::low_ends, &EnergyRange::high_ends,
             &EnergyRange::schedule_joules, &EnergyRange::found_joules, &EnergyRange::bound_joules,
             &EnergyRange::regret_bound, &EnergyRange::regret_found, &EnergyRange::deciding_figure,
             &EnergyRange::deciding_nodes>;

template <>
inline constexpr auto kFields<RuntimeRange> =
    kMembers<&RuntimeRange::least_seconds, &RuntimeRange::most_seconds,
             &RuntimeRange::keeps_budget>;

/// Likewise.
template <>
inline constexpr auto kFields<UncertaintyFigures> =
    kMembersIn<InFile::left_out_if_default, &UncertaintyFigures::energy_range,
               &UncertaintyFigures::runtime_range>;

/// A schedule file has these apart from the others, under `timing`: they vary from run to run.
inline constexpr auto kTimingFields =
    kMembers<&SolveStatistics::heuristic_seconds, &SolveStatistics::build_seconds,
             &SolveStatistics::milp_seconds, &SolveStatistics::first_schedule_seconds>;
inline constexpr auto kWorkFields =
    std::tuple_cat(kMembers<&SolveStatistics::formulation>,
                   kMembersIn<InFile::left_out_if_empty, &SolveStatistics::bound_by>,
                   kMembers<&SolveStatistics::rows, &SolveStatistics::columns,
                            &SolveStatistics::nonzeros, &SolveStatistics::nodes>);
inline constexpr Field<&SolveStatistics::wall_seconds> kWallSecondsField{"wall_seconds"};

template <>
inline constexpr auto kFields<SolveStatistics> = std::tuple_cat(kWorkFields, kTimingFields,
                                                                std::tuple(kWallSecondsField));

template <>
inline constexpr auto kFields<CopiedTensor> =
    kMembers<&CopiedTensor::tensor, &CopiedTensor::bytes, &CopiedTensor::copy_bytes>;

/// What `info` writes, its nodes apart: they are a list of structs.
template <>
inline constexpr auto kFields<ModelReport> = std::tuple_cat(
    kMembers<&ModelReport::model, &ModelReport::platform, &ModelReport::element_bytes,
             &ModelReport::parameter_count, &ModelReport::flop,
             &ModelReport::baseline_energy_joules, &ModelReport::baseline_runtime_seconds,
             &ModelReport::baseline_peak_ram_bytes, &ModelReport::working_set_bytes,
             &ModelReport::working_set_node, &ModelReport::working_set_node_name,
             &ModelReport::working_set_node_op>,
    kMembersIn<InFile::left_out_if_empty, &ModelReport::memory>,
    kMembersIn<InFile::left_out_if_default, &ModelReport::copied_tensors>);

template <>
inline constexpr auto kFields<Operand> = kMembers<&Operand::node, &Operand::shape>;

template <>
inline constexpr auto kFields<NodeFigures> =
    kMembers<&NodeFigures::node, &NodeFigures::name, &NodeFigures::op, &NodeFigures::backward,
             &NodeFigures::shape, &NodeFigures::bytes, &NodeFigures::parameter_count,
             &NodeFigures::flop, &NodeFigures::runtime_seconds, &NodeFigures::energy_joules,
             &NodeFigures::inputs>;

/// An index outside the graph is for the replay to report, with the place.
template <>
inline constexpr auto kFields<Instruction> = std::tuple_cat(
    kMembers<&Instruction::op>,
    std::tuple(Field<&Instruction::node>{.key = "node", .least = std::numeric_limits<int>::min()},
               Field<&Instruction::over>{.key = "over", .in_file = InFile::left_out_if_empty}),
    kMembersIn<InFile::left_out_if_default, &Instruction::offset, &Instruction::workspace_offset,
               &Instruction::slot>);

}  // namespace poet
