#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "baselines/run_baselines.hpp"

namespace poet {

template <>
inline constexpr Names<BaselineRow::Status, 5> kNames<BaselineRow::Status> = {{
    {BaselineRow::Status::feasible, "feasible"},
    {BaselineRow::Status::infeasible, "infeasible"},
    {BaselineRow::Status::not_applicable, "not-applicable"},
    {BaselineRow::Status::unknown, "unknown"},
    {BaselineRow::Status::failed, "failed"},
}};

// The lines of a comparison; `format`, `version` and `timing` stand around them. See
// docs/baselines.md.

template <>
inline constexpr auto kFields<BaselineRow> = std::tuple_cat(
    kMembers<&BaselineRow::point, &BaselineRow::method, &BaselineRow::status, &BaselineRow::proven>,
    std::tuple(Field<&BaselineRow::problem>{}, kRamBudgetField<&BaselineRow::problem>),
    kMembers<&BaselineRow::requested_gap, &BaselineRow::baseline_energy_joules,
             &BaselineRow::baseline_peak_ram_bytes>,
    std::tuple(Field<&BaselineRow::summary>{}),
    kMembersIn<InFile::null_if_empty, &BaselineRow::parameter>,
    kMembers<&BaselineRow::source, &BaselineRow::changes, &BaselineRow::schedule_file>,
    kMembersIn<InFile::null_if_empty, &BaselineRow::reason>);

}  // namespace poet
