// CLI11 behind an interface of our own. Its ranges, its errors and its help differ from the rest of
// the program, and so do its texts for enums: with these functions every option has one grammar of
// errors, and --help one layout, which the manual pages and the completions are made from.

#include "app/option_group.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/ranges.h>

#include "poet/error.hpp"

namespace poet::cli {
namespace {

constexpr std::size_t kColumn = 34;
constexpr std::size_t kWidth = 100;

}  // namespace

CLI::Option* OptionGroup::flag(const char* names, bool& value, const std::string& usage) {
  return app_.add_flag(names, value, usage)->group(heading_);
}

CLI::Option* OptionGroup::text(const char* names, std::string& value, const char* unit,
                               const std::string& usage) {
  CLI::Option* option = app_.add_option(names, value, usage)->group(heading_)->type_name(unit);
  return value.empty() ? option : option->capture_default_str();
}

/// A shell expands nets/*.json to several words, and people type commas; both end up as one text,
/// which a journal can keep as it is.
void OptionGroup::list(const char* names, std::string& value, const char* unit,
                       const std::string& usage) {
  app_.add_option_function<std::vector<std::string>>(
          names,
          [&value](const std::vector<std::string>& words) {
            value = fmt::format("{}", fmt::join(words, ","));
          },
          usage)
      ->group(heading_)
      ->type_name(unit);
}

/// One value each time: otherwise the option would swallow the arguments that follow it.
void OptionGroup::repeated(const char* name, std::vector<std::string>& values, const char* unit,
                           const std::string& usage) {
  app_.add_option(name, values, usage)->allow_extra_args(false)->group(heading_)->type_name(unit);
}

void OptionGroup::several(const char* name, std::vector<std::string>& values, const char* unit,
                          const std::string& usage) {
  app_.add_option(name, values, usage)->group(heading_)->type_name(unit);
}

void OptionGroup::repeated(const char* name, std::function<void(const std::string&)> take,
                           const char* unit, const std::string& usage) {
  app_.add_option_function<std::vector<std::string>>(
          name,
          [name, take = std::move(take)](const std::vector<std::string>& values) {
            for (const std::string& value : values) with_place(name, [&] { take(value); });
          },
          usage)
      ->allow_extra_args(false)
      ->group(heading_)
      ->type_name(unit);
}

/// An option without a heading is not in --help.
void OptionGroup::gone(const char* name, const char* instead) {
  app_.add_flag_callback(name,
                         [name, instead] {
                           throw InputError(name,
                                            fmt::format("found a removed option: {}", instead));
                         })
      ->group("");
}

void OptionGroup::argument(const char* name, std::string& value, const std::string& usage) {
  app_.add_option(name, value, usage)->required()->type_name("");
}

void OptionGroup::arguments(const char* name, std::vector<std::string>& values,
                            const std::string& usage) {
  app_.add_option(name, values, usage)->required()->type_name("");
}

/// CLI11's own IsMember would list the words with types and braces; this is our grammar of errors.
CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](const std::string& word) {
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string{};
        return fmt::format("found '{}'; expected {} or {}", printable(word),
                           fmt::join(words.begin(), words.end() - 1, ", "), words.back());
      },
      "");
}

CLI::Option* OptionGroup::words(const char* name, const std::vector<std::string>& allowed,
                                const std::string& usage,
                                const std::function<void(const std::string&)>& take) {
  return app_.add_option_function<std::string>(name, take, usage)
      ->group(heading_)
      ->check(one_of(allowed))
      ->type_name(fmt::format("{}", fmt::join(allowed, "|")));
}

/// completions/read_help.awk and help2man read these lines, so that a change of the columns
/// concerns both.
std::string help_entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  const auto next_line = [&] { return '\n' + std::string(kColumn, ' '); };
  text += text.size() + 2 > kColumn ? next_line() : std::string(kColumn - text.size(), ' ');
  std::size_t at = kColumn;
  std::istringstream words(description);
  for (std::string word; words >> word;) {
    if (at > kColumn && at + 1 + word.size() > kWidth) {
      text += next_line();
      at = kColumn;
    }
    const std::string piece = (at > kColumn ? " " : "") + word;
    text += piece;
    at += piece.size();
  }
  return text + '\n';
}

HelpFormat::HelpFormat() {
  label("Positionals", "Arguments");
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = option->get_name(is_positional, true);
  if (const auto comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  if (option->get_type_size() != 0 && !option->get_type_name().empty()) {
    name += ' ' + option->get_type_name();
  }
  const std::string& usual = option->get_default_str();
  return help_entry(name, option->get_description() +
                              (usual.empty() ? "" : fmt::format(" (default: {})", usual)));
}

}  // namespace poet::cli
