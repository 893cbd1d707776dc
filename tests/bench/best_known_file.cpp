#include "best_known_file.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet::bench {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Joules> number_or_null(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_null()) return std::nullopt;
  return value.get<Joules>();
}

Json null_or(const std::optional<Joules>& value) {
  return value ? Json(*value) : Json();
}

void read_line(const std::string& line, BestKnown& known) {
  const Json json = Json::parse(line);
  const auto problem = json.at("problem").get<std::string>();
  const BestFigures best{.graph_sha256 = json.at("graph_sha256").get<std::string>(),
                         .baseline_joules = json.at("baseline_energy_joules").get<Joules>(),
                         .energy_joules = number_or_null(json, "energy_joules"),
                         .energy_from = json.at("energy_from").get<std::string>(),
                         .bound_joules = number_or_null(json, "lower_bound_joules"),
                         .bound_from = json.at("bound_from").get<std::string>(),
                         .infeasible = json.at("infeasible").get<bool>()};
  const std::string what = conflict(best, best);
  if (!what.empty()) throw InputError(problem, what);
  if (!known.emplace(problem, best).second) throw InputError(problem + " comes twice");
}

}  // namespace

BestKnown read_best_known(const std::string& path) {
  BestKnown known;
  if (!std::filesystem::exists(path)) return known;
  std::istringstream lines(read_file(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const std::string place = fmt::format("{}:{}", path, number);
    try {
      read_line(line, known);
    } catch (const std::exception& error) {
      throw InputError(place,
                       fmt::format("expected a line as --update-best writes it: {}", error.what()));
    }
  }
  return known;
}

std::string best_known_text(const BestKnown& known) {
  std::string text;
  for (const auto& [problem, best] : known) {
    Json json;
    json["problem"] = problem;
    json["graph_sha256"] = best.graph_sha256;
    json["baseline_energy_joules"] = best.baseline_joules;
    json["energy_joules"] = null_or(best.energy_joules);
    json["energy_from"] = best.energy_from;
    json["lower_bound_joules"] = null_or(best.bound_joules);
    json["bound_from"] = best.bound_from;
    json["infeasible"] = best.infeasible;
    text += json.dump() + "\n";
  }
  return text;
}

BestUpdate update_best_known(const std::string& path, const std::vector<Measurement>& measurements,
                             const std::string& from) {
  BestKnown known = read_best_known(path);
  BestUpdate update = improve(known, measurements, from);
  if (update.faults.empty()) write_file(path, best_known_text(known));
  return update;
}

}  // namespace poet::bench
