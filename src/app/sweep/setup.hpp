#pragma once

#include <string>

#include "app/options.hpp"
#include "app/sweep/journal.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// A sweep that is ready to run: all that can be refused has been checked, and nothing is written.
struct SweepSetup {
  SweepRequest request;
  SweepGrid grid;
  std::string output;    ///< empty: stdout
  SweepJournal journal;  ///< what an interrupted run has left, if this one goes on with it
};

/// Throws InputError for whatever is wrong with the command line, with any model, platform, list or
/// destination, or with the journal of a sweep that is to go on.
SweepSetup prepare_sweep(const Options& options);

/// Whether --resume finds the sweep finished: its file is there and its journal is not.
bool already_finished(const Options& options);

}  // namespace poet::cli
