#pragma once

#include <functional>
#include <string>

#include "poet/units.hpp"

namespace poet::bench {

struct SubprocessResult {
  bool clean = false;        ///< it ran to its end in time
  std::string output;        ///< what `work` returned
  std::string message;       ///< for people, when not clean
  Bytes peak_rss_bytes = 0;  ///< of the largest process: the child, or one that it waited for
};

/// Runs `work` in a forked copy of this process and waits for it, so that one instance's memory,
/// or its crash, cannot touch the next. Kills the child after `seconds` (0: never).
SubprocessResult run_in_subprocess(const std::function<std::string()>& work, Seconds seconds);

}  // namespace poet::bench
