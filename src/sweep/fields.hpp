#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "question/fields.hpp"

namespace poet {

template <>
inline constexpr auto kNames<SweepOutcome::Origin> =
    kWords<SweepOutcome::Origin::solved, SweepOutcome::Origin::verdict,
           SweepOutcome::Origin::reused>;

// What a worker process sends back, and what the journal of a sweep keeps: everything but a
// failure, which no worker can report about itself, and which no later run should believe.

template <>
inline constexpr auto kFields<SweepOutcome> = std::tuple(
    Field<&SweepOutcome::result, &SolveResult::status>{"status"},
    Field<&SweepOutcome::origin>{"origin"},
    Field<&SweepOutcome::origin_point>{"origin_point", InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::reason>{"reason", InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::smallest_ram_bytes>{"smallest_ram_bytes",
                                                                   InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::smallest_ram_is_exact>{"smallest_ram_is_exact",
                                                                      InFile::with_previous},
    Field<&SweepOutcome::result, &SolveResult::node>{"node", InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::energy_joules>{"energy_joules"},
    Field<&SweepOutcome::result, &SolveResult::lower_bound_joules>{"lower_bound_joules"},
    Field<&SweepOutcome::wall_seconds>{"wall_seconds"},
    Field<&SweepOutcome::result, &SolveResult::statistics>{"solver"},
    Field<&SweepOutcome::order>{"order", InFile::left_out_if_default},
    Field<&SweepOutcome::copies>{"copies", InFile::left_out_if_default},
    Field<&SweepOutcome::uncopied_energy_joules>{"uncopied_energy_joules",
                                                 InFile::left_out_if_empty},
    Field<&SweepOutcome::given_order_energy_joules>{"given_order_energy_joules",
                                                    InFile::left_out_if_empty},
    Field<&SweepOutcome::given_order>{"given_order", InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::schedule>{"stages", InFile::left_out_if_empty},
    Field<&SweepOutcome::result, &SolveResult::interrupted>{.in_file = InFile::never},
    Field<&SweepOutcome::result, &SolveResult::solver_failed>{.in_file = InFile::never});

template <>
inline constexpr auto kFields<MinRam> =
    std::tuple(Field<&MinRam::infeasible>{"infeasible"},
               Field<&MinRam::infeasible_below_bytes>{"infeasible_below_bytes"},
               Field<&MinRam::feasible_bytes>{"feasible_bytes"}, Field<&MinRam::node>{"node"},
               Field<&MinRam::is_working_set>{"is_working_set"}, Field<&MinRam::reason>{"reason"},
               Field<&MinRam::wall_seconds>{"wall_seconds"},
               Field<&MinRam::order>{"order", InFile::left_out_if_default},
               Field<&MinRam::schedule>{"stages"});

}  // namespace poet
