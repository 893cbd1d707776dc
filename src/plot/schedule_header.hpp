#pragma once

#include <string>

#include "plot/svg_writer.hpp"
#include "poet/report.hpp"

namespace poet::plot {

/// `resnet18_cifar on m4`.
std::string schedule_title(const Report& report);

/// The title and the figures of a schedule, from the top of the picture down.
inline constexpr double kScheduleHeaderHeight = 126;
void draw_schedule_header(SvgWriter& svg, const Report& report, double left, double right);

}  // namespace poet::plot
