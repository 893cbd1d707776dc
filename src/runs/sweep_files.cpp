// Names and places of the files of a sweep. A name of a point has its number first, so that a
// folder lists files in the order of the rows, and then what a person looks for. Rows name files
// relative to where the rows themselves are: a folder with both can be moved or sent. Offsets are
// added here, and only if files are kept, since a row states nothing of them.

#include "runs/sweep_files.hpp"

#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "report/place_schedule.hpp"
#include "runs/load_step.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

/// The folder of the schedules as the rows name it.
fs::path seen_from(const std::string& folder, const std::string& output) {
  if (output.empty()) return folder;
  const fs::path here = fs::path(output).parent_path();
  std::error_code error;
  const fs::path seen = fs::proximate(folder, here.empty() ? fs::path(".") : here, error);
  return error ? fs::path(folder) : seen;
}

std::string document_of(const PointResult& result) {
  if (result.file) return to_json(*result.file);
  const SweepRow& row = result.row;
  const bool failed = row.status == SweepRow::Status::failed;
  const ExitCode code = failed                                       ? ExitCode::internal
                        : row.status == SweepRow::Status::infeasible ? ExitCode::infeasible
                                                                     : ExitCode::limit;
  return error_json(code, failed ? "error" : name_of(row.status), row.reason,
                    result.problem.value_or(ProblemInfo{}));
}

std::string baseline_file_name(const BaselineRow& row) {
  const std::string platform =
      row.problem.platform ? fmt::format("-{}", *row.problem.platform) : std::string();
  return file_stem(fmt::format("{}{}-{}x-{}-{}", row.problem.model, platform,
                               row.problem.runtime_budget_ratio,
                               row.problem.limits.ram_budget_bytes, row.method)) +
         ".json";
}

}  // namespace

std::string schedule_path_in_rows(const std::string& folder, const std::string& output,
                                  const std::string& name) {
  return (seen_from(folder, output) / name).string();
}

void create_schedule_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw InputError("--schedules", fmt::format("cannot create '{}': {}", folder, error.message()));
}

std::string schedule_file_name(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                               int point) {
  const SweepPoint& what = points[point];
  const Subject& subject = grid.subjects[what.subject];
  const std::string platform = subject.platform ? subject.platform->name : std::string();
  return file_stem(fmt::format("{:04}-{}-{}{}{}-{}-{}", point, subject.model.name, platform,
                               platform.empty() ? "" : "-",
                               technique_set_name(what.limits.techniques),
                               runtime_budget_name(what.runtime), what.limits.ram_budget_bytes)) +
         ".json";
}

std::vector<PointResult> make_results(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                                      const SweepOutcomes& outcomes, const SweepRequest& request,
                                      const std::string& output) {
  std::vector<PointResult> results;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    if (!outcomes[p]) continue;
    PointResult& result =
        results.emplace_back(make_result(grid, points, p, *outcomes[p], request.settings));
    if (request.require_optimal && result.file && result.file->status != Status::optimal) {
      result.file->code = ExitCode::requirement;
    }
    if (request.schedules.empty()) {
      result.file.reset();
    } else if (result.file) {
      add_offsets(*result.file);
      price_moves(*result.file);
      result.row.schedule_file =
          schedule_path_in_rows(request.schedules, output, schedule_file_name(grid, points, p));
    }
  }
  return results;
}

std::vector<MinRamRow> make_rows(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                                 const MinRams& found, const SweepRequest& request) {
  std::vector<MinRamRow> rows;
  for (int t = 0; t < static_cast<int>(tasks.size()); ++t) {
    if (found[t]) rows.push_back(make_row(grid, tasks, t, *found[t], request.settings));
  }
  return rows;
}

void write_schedules(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                     const std::vector<PointResult>& results, const SweepRequest& request) {
  if (request.schedules.empty()) return;
  create_schedule_folder(request.schedules);
  for (const PointResult& result : results) {
    if (result.row.summary && !result.file) continue;  // an earlier run's, which kept no schedules
    const int p = result.row.point;
    write_file((fs::path(request.schedules) / schedule_file_name(grid, points, p)).string(),
               document_of(result));
  }
}

void write_baseline_schedules(std::vector<BaselineResult>& results, const std::string& folder,
                              const std::string& output) {
  if (folder.empty()) return;
  create_schedule_folder(folder);
  std::set<std::string> written;
  for (BaselineResult& result : results) {
    if (!result.file) continue;
    add_offsets(*result.file);
    price_moves(*result.file);
    std::string name = baseline_file_name(result.row);
    // Two model files may state the same name.
    if (!written.insert(name).second) name = fmt::format("{:04}-{}", result.row.point, name);
    write_file((std::filesystem::path(folder) / name).string(), to_json(*result.file));
    result.row.schedule_file = schedule_path_in_rows(folder, output, name);
  }
}

}  // namespace poet
