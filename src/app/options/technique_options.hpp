#pragma once

#include "app/options/command_syntax.hpp"

namespace poet::cli {

/// --paging, --remat and their opposites.
void add_technique_options(CLI::App& app, Options& options);

}  // namespace poet::cli
