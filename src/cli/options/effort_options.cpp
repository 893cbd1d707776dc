#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/options/effort_words.hpp"
#include "cli/options/groups.hpp"
#include "cli/options/values.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

constexpr std::array<std::pair<Effort, std::string_view>, 3> kEfforts{
    {{Effort::fast, "fast"}, {Effort::standard, "default"}, {Effort::proof, "proof"}}};

CLI::Validator one_of_efforts() {
  return CLI::Validator(
      [](std::string& text) {
        return effort_of(text)
                   ? std::string{}
                   : fmt::format("found '{}'; expected fast, default or proof", shown(text));
      },
      "");
}

void disable_all(const std::vector<std::string>& names, Techniques& techniques) {
  try {
    for (const std::string& name : names) disable(techniques, name);
  } catch (const InputError& error) {
    throw InputError("--disable", error.what());
  }
}

}  // namespace

std::string_view effort_word(Effort effort) {
  for (const auto& [known, word] : kEfforts) {
    if (known == effort) return word;
  }
  return "?";
}

std::optional<Effort> effort_of(std::string_view word) {
  for (const auto& [effort, known] : kEfforts) {
    if (known == word) return effort;
  }
  return std::nullopt;
}

void apply_effort(const CLI::App& app, Options& options) {
  if (options.effort != Effort::proof) return;
  if (app.count("--gap") == 0) options.gap = 0;
  if (app.count("--time-limit-s") == 0) options.time_limit_seconds = 0;
}

void add_effort_options(CLI::App& app, Options& options, const char* what) {
  const char* group = "How hard to try";
  app.add_option_function<std::string>(
         "--effort", [&options](const std::string& word) { options.effort = *effort_of(word); },
         "fast: a good schedule and a bound in a second or a few; default: until the gap is "
         "met or time is up; proof: --gap 0 and no time limit, unless given")
      ->group(group)
      ->check(one_of_efforts())
      ->type_name("fast|default|proof")
      ->default_str("default");
  app.add_option("--gap", options.gap,
                 "stop when (energy - bound) / energy is at most this; 0 proves it exactly")
      ->group(group)
      ->check(real_text())
      ->type_name("REL")
      ->capture_default_str();
  app.add_option("--time-limit-s", options.time_limit_seconds,
                 fmt::format("wall clock over {}, in seconds; 0 = none", what))
      ->group(group)
      ->check(real_text())
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--solve-threads", options.threads, "threads for CBC; 1 repeats exactly")
      ->group(group)
      ->check(number_text<int>("a whole number from 1 to 256"))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the search")
      ->group(group)
      ->check(number_text<std::uint32_t>("a whole number from 0 to 2^32 - 1"))
      ->type_name("N")
      ->capture_default_str();
  // Not in --help: for measuring and testing what each technique does.
  app.add_option_function<std::vector<std::string>>(
         "--disable",
         [&options](const std::vector<std::string>& names) {
           disable_all(names, options.techniques);
         })
      ->delimiter(',')
      ->group("");
  app.add_flag("--require-optimal", options.require_optimal,
               "exit 5 when a schedule is not proven within the gap (it is still written)")
      ->group(group);
}

}  // namespace poet::cli
