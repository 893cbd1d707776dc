#include "app/options/setting_options.hpp"

#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

template <typename Number>
requires std::is_arithmetic_v<Number>
void add(CLI::App& app, const SettingOption<Number>& option, Number& value) {
  OptionGroup(app, option.heading)
      .number(option.name, value, option.unit, option.range, option.usage);
}

void add(CLI::App& app, const SettingOption<Bytes>& option, Bytes& value) {
  app.add_option_function<std::string>(
         option.name, [&value](const std::string& given) { value = *parse_bytes(given); },
         option.usage)
      ->group(option.heading)
      ->check([expected = option.range.expected](const std::string& text) {
        return parse_bytes(text)
                   ? std::string()
                   : fmt::format("found '{}'; expected {}", printable(text), expected);
      })
      ->type_name(option.unit)
      ->default_str(format_bytes(value));
}

template <typename Word>
std::vector<std::string> words_of_option() {
  std::vector<std::string> words;
  words.reserve(kNames<Word>.size());
  for (const auto& [known, word] : kNames<Word>) words.emplace_back(word);
  return words;
}

template <typename Word>
requires std::is_enum_v<Word>
void add(CLI::App& app, const SettingOption<Word>& option, Word& value) {
  const std::vector<std::string> words = words_of_option<Word>();
  app.add_option_function<std::string>(
         option.name, [&value](const std::string& given) { value = *value_of<Word>(given); },
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

void add_paging_options(CLI::App& app, Options& options) {
  OptionGroup group(app, kWhatToSolve);
  group.choice("--paging-time", options.paging_time, words_of_option<PagingTime>(),
               "free: transfers take no time, as in POET; blocking: computing waits for them; "
               "overlapped: they run beside it, a stage takes the longer of the two. Without it: "
               "blocking for exact backward passes, else free");
  group.text("--storage-budget", options.storage_budget, "SIZE",
             "most bytes of copies in secondary storage");
  group.text("--page-out-budget", options.page_out_budget, "SIZE",
             "most bytes written to secondary storage in one training step, which wears it out");
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

void add_model_options(CLI::App& app, Options& options, const char* heading) {
  OptionGroup(app, heading)
      .number<std::int64_t>("--batch-size", options.batch_size, "N",
                            {.min = 1, .expected = "at least 1"},
                            "batch size of a model with a batch dimension");
  OptionGroup(app, heading)
      .choice("--backward", options.backward,
              {std::string(name_of(Backward::exact)), std::string(name_of(Backward::poet_chain))},
              "the backward pass of a model of layers: the training step as it is computed, or "
              "POET's chain; the default is what its file says");
  OptionGroup(app, heading)
      .number<Bytes>("--alignment", options.alignment, "BYTES",
                     {.min = 1, .max = 4096, .expected = "from 1 to 4096"},
                     "round the tensors of an exact graph up to a multiple of this");
}

void add_settings_without_search(CLI::App& app, Options& options) {
  add_paging_options(app, options);
  add_model_options(app, options, kWhatToSolve);
  visit_setting_options([&](const auto& option) {
    const std::string_view name = option.name;
    if (name != "--mem-power-scale" && name != "--gap") return;
    add(app, option, options.settings.*option.member);
  });
}

void add_objective(CLI::App& app, SolveSettings& settings) {
  add(app, kObjectiveOption, settings.objective);
}

void add_setting_options(CLI::App& app, Options& options) {
  add_paging_options(app, options);
  add_model_options(app, options, kWhatToSolve);
  visit_setting_options(
      [&](const auto& option) { add(app, option, options.settings.*option.member); });
  OptionGroup(app, kHowHard)
      .flag("--require-optimal", options.require_optimal,
            "exit 5 if a schedule is not proven within the gap (it is still written)");
}

}  // namespace poet::cli
