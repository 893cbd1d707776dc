#pragma once

#include "base/fields.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {

// The words of model files, and the keys of platform files in the order in which they are written.

template <>
inline constexpr auto kNames<Update> = kWords<Update::fused, Update::buffered, Update::accumulate>;

template <>
inline constexpr auto kNames<FrozenWeights> = kWords<FrozenWeights::float32, FrozenWeights::int8>;

template <>
inline constexpr auto kNames<FrozenParameters> =
    kWords<FrozenParameters::in_place, FrozenParameters::copied>;

template <>
inline constexpr auto kNames<CopyRule> = kWords<CopyRule::chosen, CopyRule::never>;

template <>
inline constexpr auto kNames<Optimizer> =
    kWords<Optimizer::sgd, Optimizer::momentum, Optimizer::adam>;

template <>
inline constexpr auto kNames<ParametersIn> = kWords<ParametersIn::ram, ParametersIn::flash>;

template <>
inline constexpr auto kNames<Standing> =
    kWords<Standing::measured, Standing::published, Standing::estimated>;

/// Rates and counts, which are above 0 and may be missing.
template <InFile kInFile, auto... kMember>
inline constexpr auto kPositiveMembers = std::tuple(Field<kMember>{
    .key = name_in_code<kMember>(), .in_file = kInFile, .least = 1, .is_positive = true}...);

template <>
inline constexpr auto kFields<Transfer> =
    std::tuple_cat(kMembers<&Transfer::latency_seconds>,
                   kPositiveMembers<InFile::always, &Transfer::bytes_per_second>,
                   kMembersIn<InFile::left_out_if_default, &Transfer::power_watts>);

template <>
inline constexpr auto kFields<OpRates> =
    kPositiveMembers<InFile::left_out_if_default, &OpRates::flops_per_second,
                     &OpRates::flops_per_joule>;

template <>
inline constexpr auto kFields<Platform> = std::tuple_cat(
    kMembers<&Platform::name>, kMembersIn<InFile::left_out_if_default, &Platform::description>,
    kPositiveMembers<InFile::always, &Platform::flops_per_second, &Platform::flops_per_joule>,
    kMembers<&Platform::page_in, &Platform::page_out, &Platform::memory_power_watts>,
    kMembersIn<InFile::left_out_if_default, &Platform::cpu_power_watts>,
    kMembersIn<InFile::may_be_missing, &Platform::element_bytes>,
    kPositiveMembers<InFile::left_out_if_default, &Platform::ram_bytes>,
    kMembersIn<InFile::left_out_if_default, &Platform::provenance, &Platform::ops>,
    kPositiveMembers<InFile::left_out_if_default, &Platform::memory_bytes_per_second,
                     &Platform::block_bytes, &Platform::storage_bytes, &Platform::erase_cycles>,
    kMembersIn<InFile::left_out_if_default, &Platform::reserve_bytes>,
    kPositiveMembers<InFile::left_out_if_default, &Platform::flash_bytes>,
    kMembersIn<InFile::left_out_if_default, &Platform::parameters_in>);

template <>
inline constexpr auto kFields<MemoryBank> = std::tuple_cat(
    kMembers<&MemoryBank::name>, std::tuple(Field<&MemoryBank::bytes>{.key = "bytes", .least = 1}),
    kPositiveMembers<InFile::always, &MemoryBank::bytes_per_second>,
    kPositiveMembers<InFile::left_out_if_default, &MemoryBank::joules_per_byte>,
    kMembersIn<InFile::left_out_if_default, &MemoryBank::keeps_parameters>);

/// What a platform file has from version 2 on, beside intervals in the place of numbers.
inline constexpr auto kNewPlatformFields =
    kMembersIn<InFile::left_out_if_default, &Platform::standing, &Platform::sources>;

/// What a platform file has from version 3 on, beside its banks.
inline constexpr auto kFlashPriceFields =
    kPositiveMembers<InFile::left_out_if_default, &Platform::flash_bytes_per_second,
                     &Platform::flash_joules_per_byte>;

}  // namespace poet
