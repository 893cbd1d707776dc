#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "poet/solve.hpp"
#include "report/fields.hpp"

namespace poet {

// What a process that solves sends to the one that asks.

template <>
inline constexpr auto kFields<Progress> =
    kMembers<&Progress::phase, &Progress::elapsed_seconds, &Progress::nodes,
             &Progress::incumbent_joules, &Progress::bound_joules, &Progress::bound_by,
             &Progress::baseline_joules, &Progress::objective>;

template <>
inline constexpr auto kFields<SolveResult> =
    std::tuple(Field<&SolveResult::status>{}, Field<&SolveResult::schedule>{},
               Field<&SolveResult::energy_joules>{}, Field<&SolveResult::lower_bound_joules>{},
               Field<&SolveResult::reason>{}, Field<&SolveResult::smallest_ram_bytes>{},
               Field<&SolveResult::smallest_ram_is_exact>{}, Field<&SolveResult::node>{},
               Field<&SolveResult::bounds>{}, Field<&SolveResult::runtime_budget_seconds>{},
               Field<&SolveResult::interrupted>{}, Field<&SolveResult::solver_failed>{},
               Field<&SolveResult::statistics>{});

}  // namespace poet
