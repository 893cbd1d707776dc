#pragma once

#include <tuple>

#include "app/options/command_syntax.hpp"

namespace poet::cli {

/// A number of SolveSettings as an option.
template <typename Number>
struct SettingOption {
  const char* name;
  Number SolveSettings::*member;
  const char* unit;
  Range<Number> range;
  const char* heading;
  const char* usage;
};

/// Parsing, range checks, --help and the commands of `sweep --dry-run` follow from this table.
inline constexpr std::tuple kSettingOptions{
    SettingOption<double>{"--mem-power-scale",
                          &SolveSettings::mem_power_scale,
                          "X",
                          {},
                          kWhatToSolve,
                          "factor on the platform's memory power, which paging pays"},
    SettingOption<double>{
        "--gap",
        &SolveSettings::gap,
        "REL",
        {.max = 1 - std::numeric_limits<double>::epsilon() / 2, .expected = "at least 0, below 1"},
        kHowHard,
        "stop when (energy - bound) / energy is at most this; 0 proves the optimum exactly"},
    SettingOption<double>{"--time-limit-s",
                          &SolveSettings::time_limit_seconds,
                          "S",
                          {.expected = "seconds of at least 0"},
                          kHowHard,
                          "wall clock of a solve, in seconds; 0 = none"},
    SettingOption<int>{"--solve-threads",
                       &SolveSettings::threads,
                       "N",
                       {.min = 1, .max = 256, .expected = "1 to 256"},
                       kHowHard,
                       "threads of CBC; 1 repeats exactly"},
    SettingOption<std::uint32_t>{"--seed",
                                 &SolveSettings::seed,
                                 "N",
                                 {.expected = "0 to 4294967295"},
                                 kHowHard,
                                 "seed of the search"}};

/// Calls visit(option) for each.
template <typename Visit>
void visit_setting_options(Visit&& visit) {
  std::apply([&](const auto&... option) { (visit(option), ...); }, kSettingOptions);
}

/// The word of an effort, and the features that are off, as --effort and --disable take them.
std::string effort_word(Effort effort);
std::string disabled_features(const SolverFeatures& features);

}  // namespace poet::cli
