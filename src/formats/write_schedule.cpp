// Schedule files, and the documents of solves without a schedule. A file has the lowest version
// that can say what it says, so that older readers read what they can (schedule_version). Every key
// that can be has a table of fields behind it, which the reader uses as well, so that the two
// cannot drift apart.

#include <nlohmann/json.hpp>

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "poet/schedule_file.hpp"
#include "poet/version.hpp"
#include "report/fields.hpp"
#include "report/schedule_version.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json heading(int version, ExitCode code, std::string_view status) {
  return {{"format", kScheduleFormat},
          {"version", version},
          {"code", static_cast<int>(code)},
          {"status", status}};
}

/// What differs between two equal runs is in `wall_seconds` and `timing` alone, so that the rest of
/// two files can be compared byte for byte.
Json solver_json(const ScheduleFile& file) {
  const SolveStatistics& solver = file.solver;
  Json json = {
      {"name", solver.formulation == "none" ? "poet-solve"
                                            : "poet-solve with COIN-OR CBC " POET_CBC_VERSION},
      {"version", POET_VERSION}};
  add_fields(json, solver, kWorkFields);
  json["seed"] = file.request.settings.seed;
  json["threads"] = file.request.settings.threads;
  add_fields(json, solver, std::tuple(kWallSecondsField));
  json["timing"] = Json::object();
  add_fields(json["timing"], solver, kTimingFields);
  return json;
}

/// Offsets make a file of POET's graphs one of version 2, but its nodes stay as they are.
Json nodes_json(const ScheduleFile& file) {
  const bool beyond_poet = is_beyond_poet(file);
  Json list = Json::array();
  for (const Node& node : file.graph.nodes) {
    Json json = json_of(node);
    if (beyond_poet) add_fields(json, node, kExactNodeFields);
    list.push_back(std::move(json));
  }
  return list;
}

Json stages_json(const ScheduleFile& file) {
  Json list = Json::array();
  for (std::size_t t = 0; t < file.schedule.stages.size(); ++t) {
    Json json = {{"stage", t}};
    add_fields(json, file.schedule.stages[t], kFields<Stage>);
    json["peak_ram_bytes"] = file.stage_peak_ram_bytes[t];
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

/// People read the document from the top. So the model, the costs and the search come first, and
/// the long lists last.
std::string to_json(const ScheduleFile& file, bool compact) {
  if (file.stage_peak_ram_bytes.size() != file.schedule.stages.size()) {
    throw InternalError("the report does not have one RAM peak per stage");
  }
  Json document = heading(schedule_version(file), file.code, name_of(file.status));
  document["model"] = json_of(file.model);
  document["platform"] = json_of(file.platform);
  document["request"] = json_of(file.request);
  document["summary"] = json_of(file.summary);
  add_fields(document["summary"], file.bounds, kFields<ObjectiveBounds>);
  add_fields(document["summary"], file.arena, kFields<ArenaFigures>);
  add_fields(document["summary"], file.banked, kFields<BankedFigures>);
  add_fields(document["summary"], file.bought, kFields<OrderFigures>);
  add_fields(document["summary"], file.copied, kFields<CopyFigures>);
  add_fields(document["summary"], file.certificate, kFields<CertifiedFigures>);
  add_fields(document["summary"], file.uncertainty, kFields<UncertaintyFigures>);
  document["solver"] = solver_json(file);
  document["nodes"] = nodes_json(file);
  document["stages"] = stages_json(file);
  document["program"] = list_of(file.program);
  return json_write(document, compact);
}

/// The document of a run without a schedule begins like a schedule file, so that a script can read
/// `status` and `code` of either.
std::string error_json(ExitCode code, std::string_view status, std::string_view error,
                       const ProblemInfo& problem, bool compact) {
  Json document = heading(schedule_version(problem), code, status);
  document["error"] = error;
  add_fields(document, problem, kFields<ProblemInfo>);
  return json_write(document, compact);
}

}  // namespace poet
