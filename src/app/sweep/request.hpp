#pragma once

#include "app/options.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// What the command line asks for.
SweepRequest request_of(const Options& options);

/// Loads every model and platform and reads every list, and fills in the digests of the request.
/// Throws InputError, naming the option, for anything that is missing or wrong: after this only a
/// solve can fail.
SweepGrid load_grid(SweepRequest& request);

/// The budget of a point as the command line has it. No bytes are what the parameters leave of a
/// `chip`.
std::string ram_budget_word(Bytes budget);

}  // namespace poet::cli
