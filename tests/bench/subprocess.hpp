#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "poet/units.hpp"

namespace poet::bench {

struct SubprocessResult {
  bool clean = false;   ///< it ran to its end in time
  std::string output;   ///< what `work` sent, all of it or as far as it came
  std::string message;  ///< for people, when not clean
  Seconds wall_seconds = 0;
};

struct SubprocessLimits {
  Seconds wall_seconds = 0;  ///< the child is killed after so long; 0: never
  Bytes memory_bytes = 0;    ///< of address space, for it and each of its own children; 0: no limit
};

using Send = std::function<void(std::string_view)>;

/// Runs `work` in a forked copy of this process and waits for it, so that one instance's memory,
/// or its crash, cannot touch the next. What the work sends arrives even if it does not end well.
SubprocessResult run_in_subprocess(const std::function<void(const Send&)>& work,
                                   const SubprocessLimits& limits);

}  // namespace poet::bench
