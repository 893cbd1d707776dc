#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "poet/graph.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"

namespace poet {

// A graph and a schedule in files and in messages between processes. Whether a schedule is valid is
// for simulate() to decide.

template <>
inline constexpr auto kFields<Node> = std::tuple(
    Field<&Node::name>{"name"}, Field<&Node::op>{"op"}, Field<&Node::bytes>{"bytes"},
    Field<&Node::runtime_seconds>{"runtime_seconds"}, Field<&Node::energy_joules>{"energy_joules"},
    Field<&Node::page_in_energy_joules>{"page_in_energy_joules"},
    Field<&Node::page_out_energy_joules>{"page_out_energy_joules"}, Field<&Node::inputs>{"inputs"},
    Field<&Node::backward>{"backward"});

/// What a node of POET's graphs does not have, and the times of transfers, which nobody is charged
/// for there.
inline constexpr auto kExactNodeFields =
    std::tuple(Field<&Node::in_place>{"in_place", InFile::left_out_if_default},
               Field<&Node::in_place_choices>{"in_place_choices", InFile::left_out_if_default},
               Field<&Node::workspace_bytes>{"workspace_bytes", InFile::left_out_if_default},
               Field<&Node::recompute>{"recompute", InFile::left_out_if_default},
               Field<&Node::page>{"page", InFile::left_out_if_default},
               Field<&Node::reads_parameters>{"reads_parameters", InFile::left_out_if_default},
               Field<&Node::writes_parameters>{"writes_parameters", InFile::left_out_if_default},
               Field<&Node::page_in_seconds>{"page_in_seconds", InFile::left_out_if_default},
               Field<&Node::page_out_seconds>{"page_out_seconds", InFile::left_out_if_default},
               Field<&Node::storage_bytes>{"storage_bytes", InFile::left_out_if_default});

template <>
inline constexpr Names<PagingTime, 3> kNames<PagingTime> = {{
    {PagingTime::free, "free"},
    {PagingTime::blocking, "blocking"},
    {PagingTime::overlapped, "overlapped"},
}};

template <>
inline constexpr Names<TechniqueSet, 4> kNames<TechniqueSet> = {{
    {kBothTechniques, "both"},
    {kOnlyRemat, "remat"},
    {kOnlyPaging, "paging"},
    {kNoTechnique, "none"},
}};

/// The limits that version 2 of schedule files added, as fields of the struct that has its limits
/// as this member.
template <auto kHolder>
inline constexpr auto kNewLimitFields =
    std::tuple(Field<kHolder, &Limits::paging_time>{"paging_time", InFile::left_out_if_default},
               Field<kHolder, &Limits::storage_budget_bytes>{"storage_budget_bytes",
                                                             InFile::left_out_if_default},
               Field<kHolder, &Limits::page_out_budget_bytes>{"page_out_budget_bytes",
                                                              InFile::left_out_if_default});

/// For comparisons and messages; files have limits beside other things.
template <>
inline constexpr auto kFields<Limits> =
    std::tuple(Field<&Limits::ram_budget_bytes>{"ram_budget_bytes"},
               Field<&Limits::runtime_budget_seconds>{"runtime_budget_seconds"},
               Field<&Limits::techniques, &TechniqueSet::paging>{"paging"},
               Field<&Limits::techniques, &TechniqueSet::remat>{"remat"},
               Field<&Limits::paging_time>{"paging_time"},
               Field<&Limits::storage_budget_bytes>{"storage_budget_bytes"},
               Field<&Limits::page_out_budget_bytes>{"page_out_budget_bytes"});

template <>
inline constexpr auto kFields<Stage> = std::tuple(Field<&Stage::resident>{"resident"},
                                                  Field<&Stage::compute>{"compute"},
                                                  Field<&Stage::page_out>{"page_out"},
                                                  Field<&Stage::page_in>{"page_in"});

template <>
inline constexpr auto kFields<Schedule> = std::tuple(Field<&Schedule::stages>{"stages"});

}  // namespace poet
