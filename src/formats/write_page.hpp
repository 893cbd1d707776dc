#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/embedded_file.hpp"
#include "poet/schedule_file.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// The scripts, the style sheet and the frame of pages (PoetEmbed).
std::span<const EmbeddedFile> embedded_pages();

/// A schedule as one HTML page (docs/pictures.md): RAM, addresses and the time in RAM of each
/// tensor, over the computations of the step, and for each tensor what the other treatments would
/// cost (weigh_choices). The page has all that it needs in it and makes no request. `theme` is
/// `auto`, `light` or `dark`. The file must be free of findings (verify_schedule_file).
std::string schedule_page(const ScheduleFile& file, std::string_view theme);

/// The rows of a sweep likewise: energy over budget, with the figures of each point.
std::string sweep_page(std::span<const SweepRow> rows, std::string_view theme);

}  // namespace poet
