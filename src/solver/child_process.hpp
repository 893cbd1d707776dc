#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet {

using Message = std::vector<std::byte>;

/// How a child process ended.
struct ChildExit {
  bool clean = false;   ///< it ran to its end
  bool killed = false;  ///< we ended it: deadline or `on_message`/`on_tick` returned false
  std::string message;  ///< for people, when not clean: "killed by signal 11 (SIGSEGV)"
};

/// Runs `work` in a forked copy of this process, whose stdout is closed to the outside and which
/// ignores Ctrl-C (the parent decides). `work` sends messages through the function it is given;
/// `on_message` gets them here, `on_tick` is called at least every 50 ms. Either returning false,
/// or `seconds` of wall clock running out, kills the child. The child dies with its parent.
ChildExit run_in_child(const std::function<void(const std::function<void(const Message&)>&)>& work,
                       const std::function<bool(const Message&)>& on_message,
                       const std::function<bool()>& on_tick, Seconds seconds);

}  // namespace poet
