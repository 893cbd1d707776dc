#pragma once

#include "poet/question.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// Completes what the command line asks for: `all` becomes the names of this build, and the options
/// for transfers become part of the request.
void complete(SweepRequest& request, const Question& shared);

/// Loads every model and platform and reads every list, and fills in the digests of the request.
/// Throws InputError, naming the option, for anything that is missing or wrong: after this only a
/// solve can fail.
SweepGrid load_grid(SweepRequest& request);

/// The budget of a point as the command line has it. No bytes are what the parameters leave of a
/// `chip`.
std::string ram_budget_word(Bytes budget);

}  // namespace poet::cli
