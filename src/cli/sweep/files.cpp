#include "cli/sweep/files.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/inputs.hpp"
#include "cli/sweep/request.hpp"
#include "io/files/write_file.hpp"
#include "io/sweep_json.hpp"
#include "plot/row_points.hpp"
#include "poet/error.hpp"
#include "poet/plot.hpp"

namespace poet::cli {
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

ExitCode code_of(Status status) {
  return status == Status::infeasible ? ExitCode::infeasible : ExitCode::limit;
}

std::string document_of(const SweepGrid& grid, const SweepPoint& point, const SweepRow& row,
                        const SweepOutcome& outcome, const SweepRequest& request) {
  if (!outcome.failure.empty()) return error_json(ExitCode::internal, "error", outcome.failure);
  if (!outcome.result.schedule) {
    return error_json(code_of(outcome.result.status), row.status, row.reason);
  }
  return to_json(point_report(grid, point, outcome, settings_of(request)));
}

}  // namespace

std::string schedule_file_name(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                               int point) {
  const SweepPoint& what = points[point];
  const SweepSubject& subject = grid.subjects[what.subject];
  const std::string platform = subject.platform ? subject.platform->name : std::string();
  return file_stem(fmt::format("{:04}-{}-{}{}{}-{}-{}", point, subject.model.name, platform,
                               platform.empty() ? "" : "-", technique_set_name(what.techniques),
                               runtime_budget_name(what.runtime), what.limits.ram_budget_bytes)) +
         ".json";
}

std::vector<SweepRow> make_rows(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                                const SweepOutcomes& outcomes, const SweepRequest& request,
                                const std::string& output) {
  std::vector<SweepRow> rows;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    if (!outcomes[p]) continue;
    rows.push_back(make_row(grid, points, p, *outcomes[p], settings_of(request)));
    if (request.schedules.empty() || !rows.back().summary) continue;
    rows.back().schedule_file =
        (seen_from(request.schedules, output) / schedule_file_name(grid, points, p)).string();
  }
  return rows;
}

std::vector<MinRamRow> make_rows(const SweepGrid& grid, const std::vector<MinRamTask>& tasks,
                                 const MinRams& found, const SweepRequest& request) {
  std::vector<MinRamRow> rows;
  for (int t = 0; t < static_cast<int>(tasks.size()); ++t) {
    if (found[t]) rows.push_back(make_row(grid, tasks, t, *found[t], settings_of(request)));
  }
  return rows;
}

void write_schedules(const SweepGrid& grid, const std::vector<SweepPoint>& points,
                     const SweepOutcomes& outcomes, const SweepRequest& request) {
  if (request.schedules.empty()) return;
  std::error_code error;
  fs::create_directories(request.schedules, error);
  if (error) {
    throw InputError("--schedules",
                     fmt::format("cannot create '{}': {}", request.schedules, error.message()));
  }
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    if (!outcomes[p]) continue;
    const SweepRow row = make_row(grid, points, p, *outcomes[p], settings_of(request));
    write_file((fs::path(request.schedules) / schedule_file_name(grid, points, p)).string(),
               document_of(grid, points[p], row, *outcomes[p], request));
  }
}

void write_picture(const std::vector<SweepRow>& rows, const SweepRequest& request) {
  if (!request.plot.empty()) write_file(request.plot, sweep_svg(plot::curve_points(rows)));
}

template <typename Row>
void write_csv(const std::vector<Row>& rows, const SweepRequest& request) {
  if (!request.csv.empty()) write_file(request.csv, to_csv(rows));
}

template <typename Row>
std::string rows_document(const std::vector<Row>& rows, const SweepRequest& request) {
  return request.format == "csv" ? to_csv(rows) : to_json_lines(rows);
}

template void write_csv(const std::vector<SweepRow>&, const SweepRequest&);
template void write_csv(const std::vector<MinRamRow>&, const SweepRequest&);
template std::string rows_document(const std::vector<SweepRow>&, const SweepRequest&);
template std::string rows_document(const std::vector<MinRamRow>&, const SweepRequest&);

}  // namespace poet::cli
