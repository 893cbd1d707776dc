#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "poet/question.hpp"
#include "poet/settings.hpp"
#include "problem/fields.hpp"
#include "report/fields.hpp"

namespace poet {

/// What the rows of a sweep are written as.
enum class SweepFormat { jsonl, csv };

template <>
inline constexpr auto kNames<SweepFormat> = kWords<SweepFormat::jsonl, SweepFormat::csv>;

/// What a sweep was asked for, as a user states it; a journal keeps it, so that the sweep can go
/// on.
struct SweepRequest {
  // What the results depend on.
  std::string models;
  std::string model_sha256;  ///< of their files, in the order of the list
  std::string platforms;
  std::string platform_sha256;
  bool min_ram = false;
  std::string ram_budget;
  std::string runtime_budget;
  std::string techniques = "both";
  ModelSettings model{};
  SolveSettings settings;
  std::optional<PagingTime> paging_time{};  ///< absent: what is usual for each model
  StorageBudgets storage{};
  std::string order_file{};         ///< with OrderKind::stated
  std::string order_file_sha256{};  ///< likewise: of its text
  std::string copies_file{};        ///< of copies that no search chooses
  std::string copies_file_sha256{};
  // What is written.
  SweepFormat format = SweepFormat::jsonl;
  std::string csv;
  std::string plot;
  std::string schedules;
  bool require_optimal = false;

  bool operator==(const SweepRequest&) const = default;
};

/// A budget as journals have it: as text, without a unit in its key.
template <auto... kPath>
constexpr Field<kPath...> in_journal(Field<kPath...> budget) {
  budget.key = budget.key.substr(0, budget.key.find("_bytes"));
  budget.in_quotes = true;
  return budget;
}
inline constexpr auto kBudgetsInJournal =
    std::apply([](const auto&... budget) { return std::tuple(in_journal(budget)...); },
               within<&SweepRequest::storage>(kFields<StorageBudgets>));

/// What the results depend on. The settings that are named here stand where journals have them.
inline constexpr auto kAskedFields = std::tuple_cat(
    kMembers<&SweepRequest::models, &SweepRequest::model_sha256, &SweepRequest::platforms,
             &SweepRequest::platform_sha256, &SweepRequest::min_ram, &SweepRequest::ram_budget,
             &SweepRequest::runtime_budget, &SweepRequest::techniques>,
    std::tuple(Field<&SweepRequest::model, &ModelSettings::batch_size>{"batch_size"},
               Field<&SweepRequest::model, &ModelSettings::backward>{"backward",
                                                                     InFile::left_out_if_empty},
               Field<&SweepRequest::model, &ModelSettings::alignment>{
                   .key = "alignment", .in_file = InFile::left_out_if_default, .least = 1},
               Field<&SweepRequest::settings, &SolveSettings::mem_power_scale>{"mem_power_scale"},
               Field<&SweepRequest::settings, &SolveSettings::effort>{"effort"},
               Field<&SweepRequest::settings, &SolveSettings::features>{"disabled"}),
    kSettingFields<&SweepRequest::settings>,
    kMembersIn<InFile::left_out_if_default, &SweepRequest::paging_time>, kBudgetsInJournal,
    kMembersIn<InFile::left_out_if_default, &SweepRequest::order_file,
               &SweepRequest::order_file_sha256, &SweepRequest::copies_file,
               &SweepRequest::copies_file_sha256>);

template <>
inline constexpr auto kFields<SweepRequest> = std::tuple_cat(
    kAskedFields, kMembers<&SweepRequest::format, &SweepRequest::csv, &SweepRequest::plot,
                           &SweepRequest::schedules, &SweepRequest::require_optimal>);

/// A value that a user set, as a command line states it.
template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (kIsOptional<Value>) {
    return value ? text_of(*value) : std::string();
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<Value, SolverFeatures>) {
    return disabled_features(value);
  } else {
    return fmt::format("{}", value);
  }
}

}  // namespace poet
