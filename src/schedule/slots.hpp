#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// Returns what is wrong with the slots of a program that is otherwise valid, one line each: a
/// transfer without a slot, a copy that is smaller than its tensor or beyond the end of secondary
/// storage, a slot where there is no transfer, or a page-in from where no whole copy of its tensor
/// is. At most kMaxListedViolations lines. It writes and reads as a device does, and shares nothing
/// with the code that chooses slots.
std::vector<std::string> check_slots(const Graph& graph, std::span<const Instruction> program,
                                     std::optional<Bytes> storage_bytes);

}  // namespace poet
