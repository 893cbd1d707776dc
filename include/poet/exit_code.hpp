#pragma once

namespace poet {

/// Exit status of the program, and `code` in its documents.
enum class ExitCode {
  ok = 0,             ///< a schedule was written
  internal = 1,       ///< the program is at fault, or CBC crashed before any schedule was found
  usage = 2,          ///< bad usage or bad input
  infeasible = 3,     ///< proven: no schedule exists
  limit = 4,          ///< a limit was reached before any schedule was found
  requirement = 5,    ///< --require-optimal not met, an invalid schedule, or a regression
  interrupted = 130,  ///< before a proof; the best schedule so far, if any, was written
};

}  // namespace poet
