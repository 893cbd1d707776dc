#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "base/input_errors.hpp"
#include "base/text/printable.hpp"

namespace poet::cli {

/// The numbers that an option takes, both ends included.
template <typename Number>
struct Range {
  Number min = 0;
  Number max = std::numeric_limits<Number>::max();
  const char* expected = "at least 0";
};

/// What is wrong with the text of a number; empty if nothing is.
/// std::from_chars takes no blanks and no plus sign, and reads 0.5 in every locale.
template <typename Number>
std::string number_fault(const std::string& text, const Range<Number>& range) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    return fmt::format("found '{}'; expected a {}number, {}", printable(text),
                       std::numeric_limits<Number>::is_integer ? "whole " : "", range.expected);
  }
  const bool fine = value >= range.min && value <= range.max;  // NaN is not
  return fine ? std::string{} : fmt::format("found {}; expected {}", text, range.expected);
}

// Headings of --help.
inline constexpr const char* kWhatToSolve = "What to solve";
inline constexpr const char* kHowHard = "How hard to try";
inline constexpr const char* kHowToRun = "How to run it";
inline constexpr const char* kWhatToWrite = "What to write";
inline constexpr const char* kOfOnnx = "If --model is an ONNX file, as it was solved";
inline constexpr const char* kData = "Data and parameters";
inline constexpr const char* kTraining = "Training over epochs";

/// What --model is beside a schedule.
inline constexpr const char* kSolvedModel =
    "the model that it was solved for, a model file or an ONNX file (.onnx), or -";

/// The words for an enum as options have them.
template <typename Enum>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const auto& [value, word] : kNames<Enum>) words.emplace_back(word);
  return words;
}

/// Refuses any word but these.
CLI::Validator one_of(std::vector<std::string> words);

/// Adds options to a command, all under one heading of its --help. `unit` stands for the value in
/// --help; the value that the variable has shows there as the default.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::App& app, std::string heading = "Options")
      : app_(app), heading_(std::move(heading)) {}

  CLI::Option* flag(const char* names, bool& value, const std::string& usage);
  CLI::Option* text(const char* names, std::string& value, const char* unit,
                    const std::string& usage);
  /// Several words, elements with commas, or the option again: `value` has commas between them all.
  void list(const char* names, std::string& value, const char* unit, const std::string& usage);
  /// An option that may be there several times, each time with one value.
  void repeated(const char* name, std::vector<std::string>& values, const char* unit,
                const std::string& usage);
  /// The same with one or more values each time. An argument cannot follow it.
  void several(const char* name, std::vector<std::string>& values, const char* unit,
               const std::string& usage);
  void repeated(const char* name, std::function<void(const std::string&)> take, const char* unit,
                const std::string& usage);
  /// An argument that the command needs.
  void argument(const char* name, std::string& value, const std::string& usage);
  /// One or more of them.
  void arguments(const char* name, std::vector<std::string>& values, const std::string& usage);
  /// A value that `parse` makes of the text; its InputError is the option's. An empty text is no
  /// value.
  template <typename Value, typename Parse>
  CLI::Option* parsed(const char* name, Value& value, const char* unit, Parse parse,
                      const std::string& usage) {
    return app_
        .add_option_function<std::string>(
            name,
            [&value, name, parse](const std::string& text) {
              if (!text.empty()) with_place(name, [&] { value = parse(text); });
            },
            usage)
        ->group(heading_)
        ->type_name(unit);
  }
  /// A removed option: an error tells what to use instead.
  void gone(const char* name, const char* instead);
  /// One of the words for an enum: all of them, or these. What is optional has no default.
  template <typename Enum>
  void choice(const char* name, Enum& value, const std::string& usage) {
    words(name, words_of<Enum>(), usage, [&value](const std::string& word) {
      value = *value_of<Enum>(word);
    })->default_str(std::string(name_of(value)));
  }
  template <typename Enum>
  void choice(const char* name, std::optional<Enum>& value, const std::string& usage,
              const std::vector<std::string>& allowed = words_of<Enum>()) {
    words(name, allowed, usage,
          [&value](const std::string& word) { value = value_of<Enum>(word); });
  }
  template <typename Number>
  void number(const char* name, Number& value, const char* unit, const Range<Number>& range,
              const std::string& usage) {
    app_.add_option(name, value, usage)
        ->group(heading_)
        ->check(CLI::Validator(
            [range](const std::string& text) { return number_fault(text, range); }, ""))
        ->type_name(unit)
        ->capture_default_str();
  }
  /// A number without a default.
  template <typename Number>
  void number(const char* name, std::optional<Number>& value, const char* unit,
              const Range<Number>& range, const std::string& usage) {
    app_.add_option_function<Number>(
            name, [&value](const Number& given) { value = given; }, usage)
        ->group(heading_)
        ->check(CLI::Validator(
            [range](const std::string& text) { return number_fault(text, range); }, ""))
        ->type_name(unit);
  }

 private:
  CLI::Option* words(const char* name, const std::vector<std::string>& allowed,
                     const std::string& usage, const std::function<void(const std::string&)>& take);

  CLI::App& app_;
  std::string heading_;
};

/// How --help looks: descriptions in a column of their own, within the width of a terminal.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

/// A line of --help: `name` in its column, or on a line of its own, and the description beside it.
std::string help_entry(const std::string& name, const std::string& description);

}  // namespace poet::cli
