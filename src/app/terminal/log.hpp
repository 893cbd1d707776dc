#pragma once

#include "app/command.hpp"

namespace poet::cli {

/// Sets up spdlog on stderr (colours only on a terminal and without NO_COLOR) and, if asked for,
/// a log file. Throws InputError for a log file that cannot be opened; `failed` becomes true if a
/// line does not get into it later.
void start_log(const Session& session, bool* failed = nullptr);

/// Whether stderr is a terminal.
bool stderr_is_terminal();

}  // namespace poet::cli
