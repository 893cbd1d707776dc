#pragma once

#include <string>

#include "execute/run_schedule.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// What the run of a schedule gave as one JSON document ("format": "poet-run", "version": 1); see
/// docs/run-format.md. A loss that is not finite is null.
std::string run_json(const ScheduleFile& schedule, const RunSettings& settings,
                     const RunResult& result);

}  // namespace poet
