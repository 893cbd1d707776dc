#pragma once

#include <optional>

#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// The platform of a schedule, by its name or path, if that is there and still has the digest that
/// the schedule states.
std::optional<Platform> find_platform(const PlatformInfo& stated);

/// Prices the moves of a placed schedule, if its platform is found.
void price_moves(ScheduleFile& file);

}  // namespace poet
