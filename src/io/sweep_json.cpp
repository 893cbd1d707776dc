#include "io/sweep_json.hpp"

#include <nlohmann/json.hpp>

#include "io/json/json_layout.hpp"
#include "io/text/csv.hpp"
#include "schedule/summary.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

void add_problem(Json& json, const RowProblem& problem) {
  json["model"] = problem.model;
  json["model_sha256"] = problem.model_sha256;
  json["platform"] = or_null(problem.platform);
  json["platform_sha256"] = or_null(problem.platform_sha256);
  json["graph_sha256"] = problem.graph_sha256;
  json["batch_size"] = problem.batch_size;
  json["mem_power_scale"] = problem.mem_power_scale;
  json["techniques"] = problem.techniques;
  json["runtime_budget_seconds"] = problem.runtime_budget_seconds;
  json["runtime_budget_ratio"] = problem.runtime_budget_ratio;
}

/// The figures of the schedule, but for those that the row has anyway.
void add_figures(Json& json, const std::optional<Summary>& summary) {
  visit_summary([&](const std::string& key, auto figure) {
    if (json.contains(key)) return;
    json[key] = summary ? Json((*summary).*figure) : Json(nullptr);
  });
}

Json row_json(const SweepRow& row) {
  Json json = {{"point", row.point}, {"status", row.status}};
  add_problem(json, row.problem);
  json["ram_budget_bytes"] = row.ram_budget_bytes;
  json["requested_gap"] = row.requested_gap;
  json["baseline_energy_joules"] = row.baseline_energy_joules;
  json["baseline_peak_ram_bytes"] = row.baseline_peak_ram_bytes;
  add_figures(json, row.summary);
  json["origin"] = row.origin;
  json["origin_point"] = or_null(row.origin_point);
  json["schedule_file"] = or_null(row.schedule_file);
  json["reason"] = or_null(row.reason);
  return json;
}

Json row_json(const MinRamRow& row) {
  Json json = {{"task", row.task}, {"status", row.status}};
  add_problem(json, row.problem);
  json["smallest_ram_bytes"] = or_null(row.smallest_ram_bytes);
  json["infeasible_below_bytes"] = or_null(row.infeasible_below_bytes);
  json["feasible_ram_bytes"] = or_null(row.feasible_ram_bytes);
  json["working_set_bytes"] = row.working_set_bytes;
  json["baseline_peak_ram_bytes"] = row.baseline_peak_ram_bytes;
  json["node"] = or_null(row.node);
  json["node_name"] = or_null(row.node_name);
  json["node_op"] = or_null(row.node_op);
  json["decided_by"] = or_null(row.decided_by);
  json["reason"] = or_null(row.reason);
  return json;
}

template <typename Row>
std::string json_lines(const std::vector<Row>& rows, std::string_view format) {
  std::string text;
  for (const Row& row : rows) {
    Json line = {{"format", format}, {"version", kVersion}};
    line.update(row_json(row));
    line["timing"] = {{"wall_seconds", row.wall_seconds}};
    text += lay_out(line, true);
  }
  return text;
}

template <typename Row>
std::string csv(const std::vector<Row>& rows) {
  std::vector<Json> table;
  table.reserve(rows.size());
  for (const Row& row : rows) table.push_back(row_json(row));
  return csv_table(table);
}

}  // namespace

std::string to_json_lines(const std::vector<SweepRow>& rows) {
  return json_lines(rows, kSweepFormat);
}

std::string to_json_lines(const std::vector<MinRamRow>& rows) {
  return json_lines(rows, kMinRamFormat);
}

std::string to_csv(const std::vector<SweepRow>& rows) {
  return csv(rows);
}

std::string to_csv(const std::vector<MinRamRow>& rows) {
  return csv(rows);
}

}  // namespace poet
