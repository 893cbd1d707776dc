#include "jsonl.hpp"

#include <fstream>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Calls `field(key, member)` for every member that is written as it is: one list for both ways.
/// `newer` has what older files do not have.
template <typename M, typename Field, typename Newer>
void for_each_field(M& m, const Field& field, const Newer& newer) {
  auto& f = m.figures;
  field("model", m.instance.model);
  field("platform", m.instance.platform);
  field("ram_budget_bytes", m.instance.ram_bytes);
  field("runtime_budget_ratio", m.instance.runtime_ratio);
  field("best_known_extra_joules", m.instance.best_extra_joules);
  field("disabled", m.disabled);
  field("gap_asked", m.gap_asked);
  field("time_limit_seconds", m.time_limit_seconds);
  field("failure", m.failure);
  field("finished", f.finished);
  field("has_schedule", f.has_schedule);
  field("valid", f.valid);
  field("node_count", f.graph_nodes);
  field("rows", f.rows);
  field("columns", f.columns);
  field("nonzeros", f.nonzeros);
  field("nodes", f.nodes);
  field("build_seconds", f.build_seconds);
  field("first_schedule_seconds", f.first_schedule_seconds);
  field("heuristic_seconds", f.heuristic_seconds);
  field("milp_seconds", f.milp_seconds);
  field("wall_seconds", f.wall_seconds);
  field("bound_seconds", f.bound_seconds);
  field("peak_rss_bytes", m.peak_rss_bytes);
  field("solver_rss_bytes", f.solver_rss_bytes);
  field("children_rss_bytes", f.children_rss_bytes);
  field("baseline_energy_joules", f.baseline_joules);
  field("energy_joules", f.energy_joules);
  field("early_energy_joules", f.early_joules);
  field("lower_bound_joules", f.bound_joules);
  newer("energy_at_10_s_joules", f.patient_joules);
  newer("processor_seconds", f.processor_seconds);
  newer("solver_seed", m.instance.solver_seed);
  newer("synthetic_nodes", m.instance.nodes);
  newer("graph_seed", m.instance.graph_seed);
  newer("ram_percent", m.instance.ram_percent);
  newer("memory_limit_bytes", m.memory_limit_bytes);
  newer("program_sha256", m.program_sha256);
  newer("graph_sha256", m.graph_sha256);
}

Kind kind_of(const std::string& name) {
  for (const Kind kind : {Kind::chain, Kind::exact, Kind::inference, Kind::layered}) {
    if (name == kind_name(kind)) return kind;
  }
  throw InputError(fmt::format("'{}' is no kind of graph", name));
}

Status status_of(const std::string& name) {
  for (const Status status : {Status::optimal, Status::feasible, Status::infeasible}) {
    if (name == status_name(status)) return status;
  }
  if (name == status_name(Status::unknown)) return Status::unknown;
  throw InputError(fmt::format("'{}' is no status", name));
}

Measurement parse_line(const std::string& line) {
  const Json json = Json::parse(line);
  Measurement m;
  const auto take = [&](const char* key, auto& member) { json.at(key).get_to(member); };
  for_each_field(m, take, [&](const char* key, auto& member) {
    if (json.contains(key)) take(key, member);
  });
  if (json.contains("kind")) m.instance.kind = kind_of(json.at("kind").get<std::string>());
  m.figures.status = status_of(json.at("status").get<std::string>());
  return m;
}

}  // namespace

std::string json_line(const Measurement& m) {
  Json json;
  const auto put = [&](const char* key, const auto& member) { json[key] = member; };
  for_each_field(m, put, put);
  json["kind"] = kind_name(m.instance.kind);
  json["status"] = status_name(m.figures.status);
  if (m.figures.has_schedule) {  // for readers; what follows from the rest is not read back
    json["extra_energy_joules"] = m.figures.extra_joules();
    json["gap"] = m.figures.gap();
    json["gap_on_extra"] = m.figures.gap_on_extra();
  }
  return json.dump();
}

std::vector<Measurement> read_jsonl(const std::vector<std::string>& paths) {
  std::vector<Measurement> measurements;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    if (!file) throw InputError(path, "cannot be read");
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      if (line.empty()) continue;
      const std::string place = fmt::format("{}:{}", path, number);
      try {
        measurements.push_back(parse_line(line));
      } catch (const std::exception& error) {
        throw InputError(place,
                         fmt::format("expected a line as --jsonl writes it: {}", error.what()));
      }
      const Measurement& m = measurements.back();
      if (!names.insert(m.instance.name() + " " + m.disabled).second) {
        throw InputError(place, m.instance.name() + " was measured twice");
      }
    }
  }
  return measurements;
}

}  // namespace poet::bench
