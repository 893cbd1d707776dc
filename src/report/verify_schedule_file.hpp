#pragma once

#include <string>
#include <vector>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// verify_schedule_file() that also compares what no replay knows: what training needs beside
/// tensors, which follows from the model and the platform, and how long storage lasts, which
/// follows from the platform; and whether the file's order is legal by the formulas of the model,
/// which is in the given order. Either may be null.
std::vector<std::string> verify_schedule_file(const ScheduleFile& file, const Model* model,
                                              const Platform* platform);

/// The keys of a file's figures that cannot be compared with these.
std::vector<std::string> unverified_figures(const ScheduleFile& file, const Model* model,
                                            const Platform* platform);

}  // namespace poet
