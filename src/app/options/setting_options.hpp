#pragma once

#include <tuple>
#include <type_traits>

#include "app/options/command_syntax.hpp"

namespace poet::cli {

/// A member of SolveSettings as an option.
template <typename Value>
struct SettingOption {
  const char* name;
  Value SolveSettings::*member;
  const char* heading;
  const char* usage;
  const char* unit = "";  ///< of a number; likewise below
  std::conditional_t<std::is_arithmetic_v<Value>, Range<Value>, std::tuple<>> range{};
  bool may_change = false;  ///< when a sweep goes on: what is proven stays proven
};

/// Parsing, range checks, --help and the commands of `sweep --dry-run` follow from this table, in
/// its order.
inline constexpr std::tuple kSettingOptions{
    SettingOption<double>{"--mem-power-scale", &SolveSettings::mem_power_scale, kWhatToSolve,
                          "factor on the platform's memory power, which paging pays", "X"},
    SettingOption<Effort>{
        "--effort",
        &SolveSettings::effort,
        kHowHard,
        "fast: a good schedule and a bound in seconds; default: until the gap is met, then at most "
        "as much work again on the extra energy; proof: --gap 0 and no time limit, unless given",
        "",
        {},
        true},
    SettingOption<double>{
        "--gap",
        &SolveSettings::gap,
        kHowHard,
        "optimal means that (energy - bound) / energy is at most this; 0 proves the optimum "
        "exactly",
        "REL",
        {.max = 1 - std::numeric_limits<double>::epsilon() / 2, .expected = "at least 0, below 1"},
        true},
    SettingOption<double>{"--time-limit-s",
                          &SolveSettings::time_limit_seconds,
                          kHowHard,
                          "wall clock of a solve, in seconds; 0 = none",
                          "S",
                          {.expected = "seconds of at least 0"},
                          true},
    SettingOption<Bytes>{"--memory-limit",
                         &SolveSettings::memory_limit_bytes,
                         kHowHard,
                         "memory of the solver's processes together, such as 512M; 0 = no limit. A "
                         "model that needs more is not built, and the bound is weaker then",
                         "SIZE",
                         {.expected = "a size from 0 to 2^53 bytes such as 512M or 4GiB"},
                         true},
    SettingOption<int>{"--solve-threads",
                       &SolveSettings::threads,
                       kHowHard,
                       "processes per solve; the answer does not depend on it",
                       "N",
                       {.min = 1, .max = 256, .expected = "1 to 256"}},
    SettingOption<std::uint32_t>{"--seed",
                                 &SolveSettings::seed,
                                 kHowHard,
                                 "seed of the search",
                                 "N",
                                 {.expected = "0 to 4294967295"}},
    // Without a heading it is not in --help: it is for measuring and testing what a feature buys.
    SettingOption<SolverFeatures>{"--disable", &SolveSettings::features, "", ""}};

/// Of a single solve alone, so that it is not in the table.
inline constexpr SettingOption<Objective> kObjectiveOption{
    "--objective", &SolveSettings::objective, kWhatToSolve,
    "what a schedule has least of: energy within both budgets; runtime within the RAM budget; ram "
    "within the runtime budget; then, of those, the one of least energy"};

/// Calls visit(option) for each.
template <typename Visit>
void visit_setting_options(Visit&& visit) {
  std::apply([&](const auto&... option) { (visit(option), ...); }, kSettingOptions);
}

}  // namespace poet::cli
