#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// Returns what is wrong with the offsets of a program that is otherwise valid, one line each: a
/// tensor or a workspace without an offset, at none that a float can be at, or beyond the end of
/// the arena, two that overlap while both are in RAM, an output that is not where the input was
/// that it takes over, or a move of what is not in RAM. If transfers overlap with computations, no
/// tensor may be moved from its page-out or page-in to the end of that stage. At most
/// kMaxListedViolations lines. It follows the program from instruction to instruction and shares
/// nothing with the code that chooses offsets.
std::vector<std::string> check_addresses(const Graph& graph, std::span<const Instruction> program,
                                         Bytes arena_bytes, PagingTime paging_time);

/// Returns what is wrong with the slots of a program that is otherwise valid, one line each: a
/// transfer without a slot, a copy that is smaller than its tensor or beyond the end of secondary
/// storage, a slot without a transfer, or a page-in from where no whole copy of its tensor is. At
/// most kMaxListedViolations lines. It writes and reads as a device does, and shares nothing with
/// the code that chooses slots.
std::vector<std::string> check_slots(const Graph& graph, std::span<const Instruction> program,
                                     std::optional<Bytes> storage_bytes);

}  // namespace poet
