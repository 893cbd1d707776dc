#pragma once

#include <string>
#include <vector>

#include "app/option_group.hpp"
#include "base/files/paths.hpp"

namespace poet::cli {

/// The paths that a command line names, by the options and arguments that a parser has read.
/// `log_file` may have been given before the command's name.
std::vector<UsedPath> paths_of(const CLI::App& app, const std::string& log_file);

/// Adds the result of a sweep and the files beside it.
void add_sweep_output(const std::string& option, const std::string& output,
                      std::vector<UsedPath>& paths);

}  // namespace poet::cli
