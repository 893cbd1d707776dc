#include "formats/write_inputs.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "model/fields.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json words_json(const std::vector<InputName>& names) {
  Json list = Json::array();
  for (const InputName& each : names) list.push_back(each.name);
  return list;
}

template <typename Value>
void add_if(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

Json measured_json(const MeasuredSpec& node) {
  const MeasuredCosts& costs = node.costs;
  Json json = {{"name", node.name},
               {"op", node.op},
               {"bytes", costs.bytes},
               {"runtime_seconds", costs.runtime_seconds},
               {"energy_joules", costs.energy_joules}};
  add_if(json, "page_in_energy_joules", costs.page_in_energy_joules);
  add_if(json, "page_out_energy_joules", costs.page_out_energy_joules);
  add_if(json, "page_in_seconds", costs.page_in_seconds);
  add_if(json, "page_out_seconds", costs.page_out_seconds);
  json["inputs"] = words_json(node.inputs);
  if (node.backward) json["backward"] = true;
  if (node.in_place) json["in_place"] = node.in_place->name;
  if (node.workspace_bytes > 0) json["workspace_bytes"] = node.workspace_bytes;
  if (!node.recompute) json["recompute"] = false;
  if (!node.page) json["page"] = false;
  if (!node.reads_parameters.empty()) {
    json["reads_parameters"] = words_json(node.reads_parameters);
  }
  if (!node.writes_parameters.empty()) {
    json["writes_parameters"] = words_json(node.writes_parameters);
  }
  return json;
}

}  // namespace

std::string model_json(const ModelSpec& spec) {
  Json document = {{"format", "poet-model"}, {"version", 2}, {"name", spec.name}};
  if (!spec.parameters.empty()) {
    for (const Parameters& each : spec.parameters) {
      document["parameters"][each.name] = each.bytes.value_or(0);
    }
  }
  document["nodes"] = Json::array();
  for (const MeasuredSpec& node : spec.nodes) document["nodes"].push_back(measured_json(node));
  return json_write(document, false);
}

std::string platform_json(const Platform& platform) {
  Json document = {{"format", "poet-platform"}, {"version", 1}};
  add_fields(document, platform, kFields<Platform>);
  return json_write(document, false);
}

}  // namespace poet
