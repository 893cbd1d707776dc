#include "app/options/setting_options.hpp"

#include <fmt/ranges.h>

#include "poet/error.hpp"

namespace poet::cli {
namespace {

std::vector<std::string> effort_words() {
  std::vector<std::string> words;
  for (const auto& [word, effort] : kEffortNames) words.emplace_back(word);
  return words;
}

void add_effort(CLI::App& app, SolveSettings& settings) {
  app.add_option_function<std::string>(
         "--effort",
         [&settings](const std::string& given) {
           for (const auto& [word, effort] : kEffortNames) {
             if (word == given) settings.effort = effort;
           }
         },
         "fast: a good schedule and a bound in a few seconds at most; default: until the gap is "
         "met or time is up; proof: --gap 0 and no time limit, unless given")
      ->group(kHowHard)
      ->check(one_of(effort_words()))
      ->type_name(fmt::format("{}", fmt::join(effort_words(), "|")))
      ->default_str(effort_word(settings.effort));
}

/// Not in --help: it is for measuring and testing what each feature contributes.
void add_disable(CLI::App& app, SolverFeatures& features) {
  app.add_option_function<std::vector<std::string>>(
         "--disable",
         [&features](const std::vector<std::string>& names) {
           try {
             for (const std::string& name : names) disable(features, name);
           } catch (const InputError& error) {
             throw InputError("--disable", error.what());
           }
         })
      ->delimiter(',')
      ->group("");
}

}  // namespace

std::string effort_word(Effort effort) {
  for (const auto& [word, known] : kEffortNames) {
    if (known == effort) return std::string(word);
  }
  return "?";
}

std::string disabled_features(const SolverFeatures& features) {
  std::vector<std::string_view> names;
  for (const FeatureSwitch& feature : kFeatureSwitches) {
    if (!(features.*feature.flag)) names.push_back(feature.name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

void apply_effort(const CLI::App& app, SolveSettings& settings) {
  if (settings.effort != Effort::proof) return;
  if (app.count("--gap") == 0) settings.gap = 0;
  if (app.count("--time-limit-s") == 0) settings.time_limit_seconds = 0;
}

void add_setting_options(CLI::App& app, Options& options) {
  OptionGroup(app, kWhatToSolve)
      .number<std::int64_t>("--batch-size", options.batch_size, "N",
                            {.min = 1, .expected = "at least 1"},
                            "batch size of a model with a batch dimension");
  add_effort(app, options.settings);
  visit_setting_options([&](const auto& setting) {
    OptionGroup(app, setting.heading)
        .number(setting.name, options.settings.*setting.member, setting.unit, setting.range,
                setting.usage);
  });
  add_disable(app, options.settings.features);
  OptionGroup(app, kHowHard)
      .flag("--require-optimal", options.require_optimal,
            "exit 5 if a schedule is not proven within the gap (it is still written)");
}

}  // namespace poet::cli
