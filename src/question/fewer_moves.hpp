#pragma once

#include <optional>

#include "poet/question.hpp"

namespace poet {

/// Energy and moves together.
Joules with_moves(const ScheduleFile& file);

/// For a schedule whose moves exceed a thousandth of its energy: one of a RAM budget that is lower
/// by what is in the way, if energy and moves together are less. It answers the same request, with
/// the same bound. Nothing if there is none.
std::optional<ScheduleFile> with_fewer_moves(const ScheduleFile& file, const Platform& platform,
                                             const SolveOptions& options);

}  // namespace poet
