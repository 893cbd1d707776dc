#pragma once

#include <string>

#include "poet/schedule_file.hpp"

namespace poet {

/// A schedule as a Chrome trace, which Perfetto and speedscope open (docs/pictures.md): its
/// computations on one track and its transfers on another, in microseconds of the training step;
/// counters of the RAM by how tensors came into it and of the energy so far; and each stay of a
/// tensor in RAM as an asynchronous event with its bytes, and its offset if the file has offsets.
/// The file must be free of findings (verify_schedule_file). Throws InputError for a schedule that
/// names a node outside the graph.
std::string schedule_trace(const ScheduleFile& file);

}  // namespace poet
