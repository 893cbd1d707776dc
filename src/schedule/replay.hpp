#pragma once

#include <functional>
#include <optional>

#include "poet/simulate.hpp"

namespace poet {

/// simulate(), or nothing if `stop`, which is asked before each stage, returns true: the lists of
/// 20,000 stages take seconds.
std::optional<Replay> replay_until(const Graph& graph, const Schedule& schedule,
                                   const Limits& limits, const std::function<bool()>& stop);

}  // namespace poet
