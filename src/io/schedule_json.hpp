#pragma once

#include <cstdint>
#include <string_view>

namespace poet {

/// What a schedule file says it is.
inline constexpr std::string_view kScheduleFormat = "poet-schedule";
inline constexpr std::int64_t kScheduleVersion = 1;

}  // namespace poet
