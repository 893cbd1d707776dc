#pragma once

#include <optional>
#include <string>

#include "poet/question.hpp"

namespace poet {

// What training needs in RAM beside the tensors that a schedule is about: parameters, what is kept
// for each of them, and what the platform sets aside.

/// Why a chip, or a budget that counts parameters, has no room for any tensor, and what helps;
/// absent if there is room, or if only tensors count. `stated_bytes` is what the budget comes to.
std::optional<std::string> no_room_for_tensors(const Subject& subject, const Question& question,
                                               Bytes stated_bytes);

/// The RAM budget for tensors: if the question counts parameters, less what training needs beside
/// them; 0 if that leaves nothing.
Bytes ram_for_tensors(const Subject& subject, const Question& question, Bytes stated_bytes);

}  // namespace poet
