#pragma once

#include <functional>

#include "poet/units.hpp"
#include "process/child.hpp"

namespace poet {

/// Runs `work` in a child process and waits for it. `on_message` gets its messages here, `on_tick`
/// is called at least every 50 ms. Either returning false, or `seconds` of wall clock running out,
/// kills the child. A system without a process or pipe to spare is an exit with a message: the
/// caller may know enough to go on without.
ChildExit run_in_child(const ChildWork& work, const std::function<bool(const Message&)>& on_message,
                       const std::function<bool()>& on_tick, Seconds seconds);

}  // namespace poet
