#include "runs/baseline_files.hpp"

#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "report/place_schedule.hpp"
#include "runs/scheduled_platform.hpp"
#include "runs/sweep_files.hpp"

namespace poet {
namespace {

std::string baseline_file_name(const BaselineRow& row) {
  const std::string platform =
      row.problem.platform ? fmt::format("-{}", *row.problem.platform) : std::string();
  return file_stem(fmt::format("{}{}-{}x-{}-{}", row.problem.model, platform,
                               row.problem.runtime_budget_ratio,
                               row.problem.limits.ram_budget_bytes, row.method)) +
         ".json";
}

}  // namespace

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
