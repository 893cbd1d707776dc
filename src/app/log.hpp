#pragma once

#include "app/options.hpp"

namespace poet::cli {

/// Sets up spdlog on stderr (colours only on a terminal and without NO_COLOR) and, if asked for,
/// a log file. Throws InputError for a log file that cannot be written.
void start_log(const Options& options);

/// Whether stderr is a terminal.
bool stderr_is_terminal();

}  // namespace poet::cli
