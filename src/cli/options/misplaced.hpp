#pragma once

#include <CLI/CLI.hpp>

namespace poet::cli {

/// An option of the single solve in front of a command would be lost without a word: throws
/// MisplacedOption for it. May be called for a command line that CLI11 has refused.
void refuse_lost_options(const CLI::App& app);

/// Throws InputError for the first word that the command line of `app`, or of its command, could
/// not take. Call after CLI11 has found one.
[[noreturn]] void refuse_unexpected(const CLI::App& app);

}  // namespace poet::cli
