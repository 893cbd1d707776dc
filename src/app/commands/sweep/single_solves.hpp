#pragma once

#include <string>
#include <vector>

#include "poet/sweep.hpp"
#include "sweep/request.hpp"

namespace poet::cli {

/// The single solves of a sweep as commands for a shell, one a line in the order of the points.
/// Each writes the file that schedule_file_name() names into the request's folder.
std::string single_solves(const std::string& program, const SweepGrid& grid,
                          const std::vector<SweepPoint>& points, const SweepRequest& request);

}  // namespace poet::cli
