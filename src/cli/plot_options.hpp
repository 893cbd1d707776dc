#pragma once

#include <CLI/CLI.hpp>

#include "cli/options.hpp"

namespace poet::cli {

/// Adds `plot FILE [--output FILE]`; the result tells whether it was used.
CLI::App* add_plot_options(CLI::App& app, Options& options);

}  // namespace poet::cli
