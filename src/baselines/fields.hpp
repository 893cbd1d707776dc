#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "baselines/rows.hpp"

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
inline constexpr auto kFields<BaselineRow> =
    std::tuple(Field<&BaselineRow::point>{"point"}, Field<&BaselineRow::method>{"method"},
               Field<&BaselineRow::status>{"status"}, Field<&BaselineRow::proven>{"proven"},
               Field<&BaselineRow::problem>{}, kRamBudgetField<&BaselineRow::problem>,
               Field<&BaselineRow::requested_gap>{"requested_gap"},
               Field<&BaselineRow::baseline_energy_joules>{"baseline_energy_joules"},
               Field<&BaselineRow::baseline_peak_ram_bytes>{"baseline_peak_ram_bytes"},
               Field<&BaselineRow::summary>{},
               Field<&BaselineRow::parameter>{"parameter", InFile::null_if_empty},
               Field<&BaselineRow::source>{"source"}, Field<&BaselineRow::changes>{"changes"},
               Field<&BaselineRow::schedule_file>{"schedule_file"},
               Field<&BaselineRow::reason>{"reason", InFile::null_if_empty});

}  // namespace poet
