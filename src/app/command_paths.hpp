#pragma once

#include <string>
#include <vector>

#include "app/option_group.hpp"
#include "base/files/paths.hpp"

namespace poet::cli {

/// The paths that a command line names, by the options and arguments that a parser has read.
/// `log_file` may have been given before the command's name.
std::vector<UsedPath> paths_of(const CLI::App& app, const std::string& log_file);

/// `--output` of a sweep, with the files beside it.
std::vector<UsedPath> sweep_output(const std::string& option, const std::string& output);

}  // namespace poet::cli
