#pragma once

#include <string>
#include <vector>

#include "baselines/run_baselines.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "sweep/request.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// `0007-vgg16_cifar-m4-both-3x-1048576.json`: the file of a point's schedule.
std::string schedule_file_name(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                               int point);

/// The file `name` in the folder of --schedules as seen from the folder of `output`, or from the
/// working directory if that is empty: how rows name it.
std::string schedule_path_in_rows(const std::string& folder, const std::string& output,
                                  const std::string& name);

/// Creates the folder of --schedules if it is missing. Throws InputError if that fails.
void create_schedule_folder(const std::string& folder);

/// The results of the finished points. If schedules are written, each row names its file as seen
/// from the folder of `output`, or from the working directory if that is empty; if not, no schedule
/// files are kept.
std::vector<PointResult> make_results(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                                      const SweepOutcomes& outcomes, const SweepRequest& request,
                                      const std::string& output);
std::vector<MinRamRow> make_rows(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                                 const MinRams& found, const SweepRequest& request);

/// Writes a file for every result into the folder that the request names, which is created if it is
/// missing: schedule files, and error documents for points without a schedule.
void write_schedules(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                     const std::vector<PointResult>& results, const SweepRequest& request);

/// Writes the schedule file of every result that has one into this folder, which is created if it
/// is missing: `resnet18-a72-2x-15858982-capuchin-like.json`. Each row names its file as seen from
/// the folder of `output`, or from the working directory if that is empty. Throws InputError if a
/// file cannot be written.
void write_baseline_schedules(std::vector<BaselineResult>& results, const std::string& folder,
                              const std::string& output);

}  // namespace poet
