#include "io/schedule_json.hpp"

#include <nlohmann/json.hpp>

#include "io/json/json_layout.hpp"
#include "poet/error.hpp"
#include "poet/report.hpp"
#include "poet/version.hpp"
#include "schedule/names.hpp"
#include "schedule/summary.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json heading(ExitCode code, std::string_view status) {
  return {{"format", kScheduleFormat},
          {"version", kScheduleVersion},
          {"code", static_cast<int>(code)},
          {"status", status}};
}

Json model_json(const ModelInfo& model) {
  return {{"name", model.name},
          {"source", model.source},
          {"batch_size", model.batch_size},
          {"node_count", model.node_count},
          {"forward_node_count", model.forward_node_count},
          {"backward", model.backward},
          {"sha256", model.sha256}};
}

Json platform_json(const std::optional<PlatformInfo>& platform) {
  if (!platform) return nullptr;
  return {{"name", platform->name}, {"source", platform->source}, {"sha256", platform->sha256}};
}

Json request_json(const Request& request) {
  return {{"ram_budget_bytes", request.ram_budget_bytes},
          {"runtime_budget_seconds", request.runtime_budget_seconds},
          {"runtime_budget_ratio", request.runtime_budget_ratio},
          {"paging", request.paging},
          {"remat", request.remat},
          {"gap", request.gap},
          {"mem_power_scale", request.mem_power_scale},
          {"time_limit_seconds", request.time_limit_seconds},
          {"solve_threads", request.threads},
          {"seed", request.seed}};
}

Json summary_json(const Summary& summary) {
  Json json = Json::object();
  visit_summary([&](const char* key, auto figure) { json[key] = summary.*figure; });
  return json;
}

Json solver_json(const Report& report) {
  const SolverReport& solver = report.solver;
  return {{"name", solver.formulation == "none" ? "poet-solve"
                                                : "poet-solve with COIN-OR CBC " POET_CBC_VERSION},
          {"version", POET_VERSION},
          {"formulation", solver.formulation},
          {"rows", solver.rows},
          {"columns", solver.columns},
          {"nonzeros", solver.nonzeros},
          {"nodes", solver.nodes},
          {"seed", report.seed},
          {"threads", report.threads},
          {"wall_seconds", solver.wall_seconds},
          {"timing",
           {{"heuristic_seconds", solver.heuristic_seconds},
            {"build_seconds", solver.build_seconds},
            {"milp_seconds", solver.milp_seconds},
            {"first_schedule_seconds", solver.first_schedule_seconds}}}};
}

Json nodes_json(const Graph& graph) {
  Json list = Json::array();
  for (const Node& node : graph.nodes) {
    list.push_back({{"name", node.name},
                    {"op", node.op},
                    {"bytes", node.bytes},
                    {"runtime_seconds", node.runtime_seconds},
                    {"energy_joules", node.energy_joules},
                    {"page_in_energy_joules", node.page_in_energy_joules},
                    {"page_out_energy_joules", node.page_out_energy_joules},
                    {"inputs", node.inputs},
                    {"backward", node.backward}});
  }
  return list;
}

Json stages_json(const Report& report) {
  Json list = Json::array();
  for (std::size_t t = 0; t < report.schedule.stages.size(); ++t) {
    const Stage& stage = report.schedule.stages[t];
    list.push_back({{"stage", t},
                    {"resident", stage.resident},
                    {"compute", stage.compute},
                    {"page_out", stage.page_out},
                    {"page_in", stage.page_in},
                    {"peak_ram_bytes", report.stage_peak_ram_bytes[t]}});
  }
  return list;
}

Json program_json(const std::vector<Instruction>& program) {
  Json list = Json::array();
  for (const Instruction& step : program) {
    list.push_back({{"op", name_of(kOpNames, step.op)}, {"node", step.node}});
  }
  return list;
}

}  // namespace

std::string to_json(const Report& report, bool compact) {
  if (report.stage_peak_ram_bytes.size() != report.schedule.stages.size()) {
    throw InternalError("the report does not have one RAM peak per stage");
  }
  Json document = heading(report.code, name_of(kStatusNames, report.status));
  document["model"] = model_json(report.model);
  document["platform"] = platform_json(report.platform);
  document["request"] = request_json(report.request);
  document["summary"] = summary_json(report.summary);
  document["solver"] = solver_json(report);
  document["nodes"] = nodes_json(report.graph);
  document["stages"] = stages_json(report);
  document["program"] = program_json(report.program);
  return lay_out(document, compact);
}

std::string error_json(ExitCode code, std::string_view status, std::string_view error,
                       bool compact) {
  Json document = heading(code, status);
  document["error"] = error;
  return lay_out(document, compact);
}

}  // namespace poet
