#pragma once

#include <string>
#include <vector>

#include "poet/sweep.hpp"
#include "runs/sweep_journal.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// The command line of `sweep`.
struct SweepArguments {
  SweepRequest request;
  int jobs = 1;
  std::string output;
  std::string resume;
  bool dry_run = false;
  std::string collect;
  /// Any option describes the grid, or a setting that a resumed sweep may not change; without,
  /// --resume takes them from the earlier run.
  bool has_request = false;
  /// The options, such as --gap, that a resumed sweep may change, and that the command line has or
  /// implies.
  std::vector<std::string> changes{};
};

/// A sweep that is ready to run: all that can be refused has been checked, and nothing is written.
struct SweepSetup {
  SweepRequest request;
  SweepGrid grid;
  std::string output;    ///< empty: stdout
  SweepJournal journal;  ///< what an earlier run has left, if this one goes on with it
};

/// Throws InputError for anything wrong with the command line, with any model, platform, list or
/// destination, or with the journal of a sweep that is to go on.
SweepSetup prepare_sweep(const SweepArguments& arguments);

/// Whether --resume has nothing to do: the file is there, its journal is not, and no setting is to
/// change.
bool already_finished(const SweepArguments& arguments);

}  // namespace poet::cli
