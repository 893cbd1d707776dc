#pragma once

#include <string>

#include "cli/reference/command_table.hpp"

namespace poet::cli {

/// poet-solve.1 in the man macros, from the table that --help shows.
std::string man_page(const CommandEntry& program);

}  // namespace poet::cli
