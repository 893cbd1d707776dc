#include "cli/options/help_format.hpp"

#include <sstream>

namespace poet::cli {
namespace {

constexpr std::size_t kColumn = 34;
constexpr std::size_t kWidth = 100;

/// `name` in its column, or on a line of its own, and the description beside it.
std::string entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  std::size_t at = text.size();
  const auto next_line = [&] {
    text += '\n' + std::string(kColumn, ' ');
    at = kColumn;
  };
  if (at + 2 > kColumn) {
    next_line();
  } else {
    text.append(kColumn - at, ' ');
    at = kColumn;
  }
  std::istringstream words(description);
  for (std::string word; words >> word;) {
    const bool first = at == kColumn;
    if (!first && at + 1 + word.size() > kWidth) next_line();
    if (at > kColumn) {
      text += ' ';
      ++at;
    }
    text += word;
    at += word.size();
  }
  return text + '\n';
}

}  // namespace

HelpFormat::HelpFormat() {
  column_width(kColumn);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace poet::cli
