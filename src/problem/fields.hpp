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
inline constexpr auto kFields<Node> =
    kMembers<&Node::name, &Node::op, &Node::bytes, &Node::runtime_seconds, &Node::energy_joules,
             &Node::page_in_energy_joules, &Node::page_out_energy_joules, &Node::inputs,
             &Node::backward>;

/// What a node of POET's graphs does not have, and the times of transfers, which nobody is charged
/// for there.
inline constexpr auto kExactNodeFields =
    kMembersIn<InFile::left_out_if_default, &Node::in_place, &Node::in_place_choices,
               &Node::workspace_bytes, &Node::recompute, &Node::page, &Node::reads_parameters,
               &Node::writes_parameters, &Node::page_in_seconds, &Node::page_out_seconds,
               &Node::storage_bytes, &Node::bank>;

template <>
inline constexpr auto kNames<PagingTime> =
    kWords<PagingTime::free, PagingTime::blocking, PagingTime::overlapped>;

template <>
inline constexpr Names<TechniqueSet, 4> kNames<TechniqueSet> = {{
    {kBothTechniques, "both"},
    {kOnlyRemat, "remat"},
    {kOnlyPaging, "paging"},
    {kNoTechnique, "none"},
}};

template <>
inline constexpr auto kFields<StorageBudgets> =
    kMembersIn<InFile::left_out_if_default, &StorageBudgets::storage_budget_bytes,
               &StorageBudgets::page_out_budget_bytes>;

/// The limits that version 2 of schedule files added.
inline constexpr auto kNewLimits =
    std::tuple_cat(kMembersIn<InFile::left_out_if_default, &Limits::paging_time>,
                   within<&Limits::storage>(kFields<StorageBudgets>));

/// What messages call them.
inline constexpr auto kNewLimitsInWords = std::tuple(
    Field<&Limits::paging_time>{"the paging time"},
    Field<&Limits::storage, &StorageBudgets::storage_budget_bytes>{"the storage budget in bytes"},
    Field<&Limits::storage, &StorageBudgets::page_out_budget_bytes>{
        "the page-out budget in bytes"});
static_assert(count_of(kNewLimitsInWords) == count_of(kNewLimits));

/// What each budget counts the bytes of.
inline constexpr auto kStorageBudgetNouns =
    std::tuple(Field<&StorageBudgets::storage_budget_bytes>{"storage"},
               Field<&StorageBudgets::page_out_budget_bytes>{"page-outs"});
static_assert(count_of(kStorageBudgetNouns) == count_of(kFields<StorageBudgets>));

/// For comparisons and messages; files have limits beside other things.
template <>
inline constexpr auto kFields<Limits> =
    std::tuple_cat(kMembers<&Limits::ram_budget_bytes, &Limits::runtime_budget_seconds>,
                   std::tuple(Field<&Limits::techniques, &TechniqueSet::paging>{"paging"},
                              Field<&Limits::techniques, &TechniqueSet::remat>{"remat"}),
                   kNewLimits);

template <>
inline constexpr auto kFields<Stage> =
    kMembers<&Stage::resident, &Stage::compute, &Stage::page_out, &Stage::page_in>;

template <>
inline constexpr auto kFields<Schedule> = kMembers<&Schedule::stages>;

}  // namespace poet
