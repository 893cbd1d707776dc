#pragma once

#include <CLI/CLI.hpp>

namespace poet::cli {

/// What --help looks like: descriptions stay within the width of a usual terminal, in a column of
/// their own.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace poet::cli
