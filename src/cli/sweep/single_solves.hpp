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

/// What those commands have left in a folder, by point. A file that is not there, or whose schedule
/// does not replay, is a failure of its point; throws InputError for one that is malformed or about
/// another problem.
SweepOutcomes collect_outcomes(const std::string& folder, const SweepGrid& grid,
                               const std::vector<SweepPoint>& points);

}  // namespace poet::cli
