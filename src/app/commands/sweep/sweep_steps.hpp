#pragma once

#include "app/command.hpp"
#include "app/commands/sweep/sweep_setup.hpp"

namespace poet::cli {

/// Runs one sweep from its setup to its exit status. Throws InputError as prepare_sweep() does, and
/// for a result that cannot be written.
ExitCode sweep(const SweepArguments& arguments, const Session& session);

}  // namespace poet::cli
