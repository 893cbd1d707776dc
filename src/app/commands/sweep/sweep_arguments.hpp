#pragma once

#include <string>
#include <vector>

#include "poet/question.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// The command line of `sweep`.
struct SweepArguments {
  SweepRequest request;
  Question shared;  ///< the options for transfers and secondary storage
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

}  // namespace poet::cli
