#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "app/option_group.hpp"
#include "import/import_request.hpp"
#include "poet/model.hpp"
#include "poet/question.hpp"
#include "poet/settings.hpp"

namespace poet::cli {

// The options that are a question: every command that asks one, or lists them for many, has them
// from here.

/// Which model a command is about, and what to make of its file.
struct ModelArguments {
  std::string model;
  ModelSettings settings;
  ImportRequest network;       ///< what an ONNX file does not say
  std::string platform_sizes;  ///< `:ram=256K`, from --set
  std::string copies;          ///< of --copies: a file, `off` or nothing
};

/// --model, --platform, the budgets and the techniques.
struct QuestionArguments {
  ModelArguments model;
  std::string platform;
  std::optional<RamBudget> ram;
  std::string order_file;  ///< with OrderKind::stated
  Question question;       ///< all but the RAM budget
};

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

/// Calls visit(option) for each.
template <typename Visit>
void visit_setting_options(Visit&& visit) {
  std::apply([&](const auto&... option) { (visit(option), ...); }, kSettingOptions);
}

/// A budget for secondary storage as an option. --help and the commands of `sweep --dry-run`
/// follow.
struct BudgetOption {
  const char* name;
  std::optional<Bytes> StorageBudgets::*member;
  const char* usage;
};
inline constexpr std::array kBudgetOptions{
    BudgetOption{"--storage-budget", &StorageBudgets::storage_budget_bytes,
                 "most bytes of copies in secondary storage"},
    BudgetOption{"--page-out-budget", &StorageBudgets::page_out_budget_bytes,
                 "most bytes written to secondary storage in one training step, which wears it "
                 "out"}};

/// --batch-size, --backward and --alignment, under a heading.
void add_model_options(CLI::App& app, ModelSettings& settings, const char* heading);
/// --loss, --trainable, --custom, --shape and --set of ONNX networks, under a heading.
/// With `platform_sizes`, --set ram=256K is about the platform.
void add_network_options(CLI::App& app, ImportRequest& network, const char* heading,
                         std::string* platform_sizes = nullptr);
/// --copies, under a heading.
void add_copies_option(CLI::App& app, ModelArguments& arguments, const char* heading);
/// --paging, --remat and their opposites.
void add_technique_options(CLI::App& app, TechniqueSet& techniques);
/// --paging-time and the budgets for secondary storage.
void add_paging_options(CLI::App& app, std::optional<PagingTime>& paging_time,
                        StorageBudgets& budgets);
/// --order: a word, or a file.
void add_order_option(CLI::App& app, OrderKind& kind, std::string& file);
void add_order_option(CLI::App& app, QuestionArguments& arguments);
/// --model, --platform, the budgets and the techniques.
void add_budget_options(CLI::App& app, QuestionArguments& arguments);
/// --mem-power-scale and --gap: the settings of a schedule that is not searched for.
void add_settings_without_search(CLI::App& app, SolveSettings& settings);
/// --effort and all other settings of a search.
void add_setting_options(CLI::App& app, SolveSettings& settings, bool& require_optimal);

/// Completes the settings after a parse: --effort proof changes the defaults of other options.
/// Returns the options that a resumed sweep may change, as far as they are given or changed so.
std::vector<std::string> apply_effort(const CLI::App& app, SolveSettings& settings);

}  // namespace poet::cli
