#include "io/outcome_json.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "io/json/json_layout.hpp"
#include "io/json/json_text.hpp"
#include "sweep/names.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

/// More entries than any list of nodes has.
constexpr std::size_t kMaxListLength = 1'000'000;
constexpr int kLargestInt = std::numeric_limits<int>::max();

/// Four lists of nodes per stage: resident, compute, page_out, page_in.
Json stages_json(const Schedule& schedule) {
  Json list = Json::array();
  for (const Stage& stage : schedule.stages) {
    list.push_back({stage.resident, stage.compute, stage.page_out, stage.page_in});
  }
  return list;
}

Json solver_json(const SolverReport& solver) {
  return {{"formulation", solver.formulation},
          {"rows", solver.rows},
          {"columns", solver.columns},
          {"nonzeros", solver.nonzeros},
          {"nodes", solver.nodes},
          {"heuristic_seconds", solver.heuristic_seconds},
          {"build_seconds", solver.build_seconds},
          {"milp_seconds", solver.milp_seconds},
          {"first_schedule_seconds", solver.first_schedule_seconds},
          {"wall_seconds", solver.wall_seconds}};
}

/// One line without its end.
std::string line_of(const Json& document) {
  std::string line = lay_out(document, true);
  line.pop_back();
  return line;
}

int count(const JsonCursor& at) {
  return static_cast<int>(at.integer(0, kLargestInt));
}

std::vector<int> nodes(const JsonCursor& list) {
  std::vector<int> result;
  for (const JsonCursor& entry : list.elements(kMaxListLength)) result.push_back(count(entry));
  return result;
}

Schedule schedule(const JsonCursor& list) {
  Schedule result;
  for (const JsonCursor& stage : list.elements(kMaxListLength)) {
    const std::vector<JsonCursor> lists = stage.elements(4);
    if (lists.size() != 4) stage.fail_expecting("four lists of nodes");
    result.stages.push_back({.resident = nodes(lists[0]),
                             .compute = nodes(lists[1]),
                             .page_out = nodes(lists[2]),
                             .page_in = nodes(lists[3])});
  }
  return result;
}

SolverReport solver(const JsonCursor& at) {
  return {.formulation = at.required("formulation").string(),
          .rows = count(at.required("rows")),
          .columns = count(at.required("columns")),
          .nonzeros = at.required("nonzeros").integer(),
          .nodes = at.required("nodes").integer(),
          .heuristic_seconds = at.required("heuristic_seconds").number(),
          .build_seconds = at.required("build_seconds").number(),
          .milp_seconds = at.required("milp_seconds").number(),
          .first_schedule_seconds = at.required("first_schedule_seconds").number(),
          .wall_seconds = at.required("wall_seconds").number()};
}

template <typename Value, std::size_t kCount>
Value one_of(const Names<Value, kCount>& names, const JsonCursor& at) {
  if (const auto value = value_of(names, at.string())) return *value;
  at.fail_expecting("one of the known words");
}

}  // namespace

std::string outcome_json(const SweepOutcome& outcome) {
  const SolveResult& result = outcome.result;
  Json json = {{"status", name_of(kStatusNames, result.status)},
               {"origin", name_of(kOriginNames, outcome.origin)}};
  if (outcome.origin_point >= 0) json["origin_point"] = outcome.origin_point;
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.smallest_ram_bytes) {
    json["smallest_ram_bytes"] = *result.smallest_ram_bytes;
    json["smallest_ram_is_exact"] = result.smallest_ram_is_exact;
  }
  json["energy_joules"] = result.energy_joules;
  json["lower_bound_joules"] = result.lower_bound_joules;
  json["wall_seconds"] = outcome.wall_seconds;
  json["solver"] = solver_json(result.report);
  if (result.schedule) json["stages"] = stages_json(*result.schedule);
  return line_of(json);
}

SweepOutcome read_outcome(const JsonCursor& at) {
  SweepOutcome outcome{.origin = one_of(kOriginNames, at.required("origin"))};
  if (const auto origin = at.optional("origin_point")) outcome.origin_point = count(*origin);
  outcome.wall_seconds = at.required("wall_seconds").number();
  SolveResult& result = outcome.result;
  result.status = one_of(kStatusNames, at.required("status"));
  if (const auto reason = at.optional("reason")) result.reason = reason->string();
  if (const auto smallest = at.optional("smallest_ram_bytes")) {
    result.smallest_ram_bytes = smallest->integer();
    result.smallest_ram_is_exact = at.required("smallest_ram_is_exact").boolean();
  }
  result.energy_joules = at.required("energy_joules").number();
  result.lower_bound_joules = at.required("lower_bound_joules").number();
  result.report = solver(at.required("solver"));
  if (const auto stages = at.optional("stages")) result.schedule = schedule(*stages);
  return outcome;
}

SweepOutcome parse_outcome(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  return read_outcome(JsonCursor(document, source));
}

std::string min_ram_json(const MinRam& found) {
  return line_of({{"infeasible", found.infeasible},
                  {"infeasible_below_bytes", found.infeasible_below_bytes},
                  {"feasible_bytes", found.feasible_bytes},
                  {"node", found.node},
                  {"is_working_set", found.is_working_set},
                  {"reason", found.reason},
                  {"wall_seconds", found.wall_seconds},
                  {"stages", stages_json(found.schedule)}});
}

MinRam read_min_ram(const JsonCursor& at) {
  return {.infeasible = at.required("infeasible").boolean(),
          .infeasible_below_bytes = at.required("infeasible_below_bytes").integer(),
          .feasible_bytes = at.required("feasible_bytes").integer(),
          .schedule = schedule(at.required("stages")),
          .node = count(at.required("node")),
          .is_working_set = at.required("is_working_set").boolean(),
          .reason = at.required("reason").string(),
          .wall_seconds = at.required("wall_seconds").number()};
}

MinRam parse_min_ram(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  return read_min_ram(JsonCursor(document, source));
}

}  // namespace poet
