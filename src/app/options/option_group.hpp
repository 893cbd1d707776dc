#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

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
  /// An argument that the command needs.
  void argument(const char* name, std::string& value, const std::string& usage);
  /// One or more of them.
  void arguments(const char* name, std::vector<std::string>& values, const std::string& usage);
  /// One of these words.
  void choice(const char* name, std::string& value, std::vector<std::string> words,
              const std::string& usage);
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

 private:
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
