#include "app/options/setting_options.hpp"

#include <fmt/ranges.h>

#include "poet/error.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

template <typename Number>
void add(CLI::App& app, const SettingOption<Number>& option, Number& value) {
  OptionGroup(app, option.heading)
      .number(option.name, value, option.unit, option.range, option.usage);
}

void add(CLI::App& app, const SettingOption<Effort>& option, Effort& value) {
  std::vector<std::string> words;
  words.reserve(kNames<Effort>.size());
  for (const auto& [effort, word] : kNames<Effort>) words.emplace_back(word);
  app.add_option_function<std::string>(
         option.name, [&value](const std::string& given) { value = *value_of<Effort>(given); },
         option.usage)
      ->group(option.heading)
      ->check(one_of(words))
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(std::string(name_of(value)));
}

void add(CLI::App& app, const SettingOption<SolverFeatures>& option, SolverFeatures& features) {
  app.add_option_function<std::vector<std::string>>(
         option.name,
         [&features, name = option.name](const std::vector<std::string>& given) {
           try {
             for (const std::string& feature : given) disable(features, feature);
           } catch (const InputError& error) {
             throw InputError(name, error.what());
           }
         },
         option.usage)
      ->delimiter(',')
      ->group(option.heading);
}

}  // namespace

std::vector<std::string> apply_effort(const CLI::App& app, SolveSettings& settings) {
  const bool proof = settings.effort == Effort::proof;
  if (proof && app.count("--gap") == 0) settings.gap = 0;
  if (proof && app.count("--time-limit-s") == 0) settings.time_limit_seconds = 0;
  std::vector<std::string> changes;
  visit_setting_options([&](const auto& option) {
    if (option.may_change && (proof || app.count(option.name) > 0)) {
      changes.emplace_back(option.name);
    }
  });
  return changes;
}

void add_batch_size(CLI::App& app, Options& options, const char* heading) {
  OptionGroup(app, heading)
      .number<std::int64_t>("--batch-size", options.batch_size, "N",
                            {.min = 1, .expected = "at least 1"},
                            "batch size of a model with a batch dimension");
}

void add_setting_options(CLI::App& app, Options& options) {
  add_batch_size(app, options, kWhatToSolve);
  visit_setting_options(
      [&](const auto& option) { add(app, option, options.settings.*option.member); });
  OptionGroup(app, kHowHard)
      .flag("--require-optimal", options.require_optimal,
            "exit 5 if a schedule is not proven within the gap (it is still written)");
}

}  // namespace poet::cli
