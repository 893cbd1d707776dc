#include "formats/write_run.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "formats/json/json_text.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json losses(const RunResult& result) {
  Json all = Json::array();
  for (const double loss : result.losses) all.push_back(std::isfinite(loss) ? Json(loss) : Json());
  return all;
}

Json gradients(const RunResult& result) {
  Json all = Json::array();
  for (const GradientResult& gradient : result.gradients) {
    all.push_back({{"name", gradient.name},
                   {"count", gradient.count},
                   {"sha256", gradient.sha256},
                   {"equal", gradient.is_equal}});
  }
  return all;
}

Json op_seconds(const RunResult& result) {
  Json all = Json::object();
  for (const auto& [op, seconds] : result.op_seconds) all[op] = seconds;
  return all;
}

}  // namespace

std::string run_json(const ScheduleFile& schedule, const RunSettings& settings,
                     const RunResult& result) {
  const Json document = {{"format", "poet-run"},
                         {"version", 1},
                         {"equal", result.equal()},
                         {"equal_losses", result.has_equal_losses},
                         {"equal_parameters", result.has_equal_parameters},
                         {"model",
                          {{"name", schedule.model.name},
                           {"sha256", schedule.model.sha256},
                           {"batch_size", schedule.model.batch_size}}},
                         {"steps", settings.steps},
                         {"seed", settings.seed},
                         {"losses", losses(result)},
                         {"arena_bytes", result.arena_bytes},
                         {"peak_touched_bytes", result.peak_touched_bytes},
                         {"peak_ram_bytes", schedule.summary.peak_ram_bytes},
                         {"moved_bytes", result.moved_bytes},
                         {"page_out_bytes", result.page_out_bytes},
                         {"page_in_bytes", result.page_in_bytes},
                         {"seconds", result.seconds},
                         {"unscheduled_seconds", result.unscheduled_seconds},
                         {"op_seconds", op_seconds(result)},
                         {"gradients", gradients(result)}};
  return json_write(document, false);
}

}  // namespace poet
