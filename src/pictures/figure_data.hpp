#pragma once

#include <span>
#include <string>

#include "poet/plot.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// What the picture of a schedule draws, as CSV with a line of keys: a row for each computation
/// with its stage, node, first and last moment on the axis of time (seconds), its energy (joules,
/// spent so far), and RAM in bytes by how tensors came. The file must be free of findings
/// (verify_schedule_file).
std::string schedule_data(const ScheduleFile& file);

/// What the picture of a sweep draws likewise: a row for each point, with its panel and curve.
/// Points without a schedule have empty figures.
std::string curve_data(std::span<const CurvePoint> points);

}  // namespace poet
