#include "formats/write_inputs.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_text.hpp"

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

Json transfer_json(const Transfer& transfer) {
  Json json = {{"latency_seconds", transfer.latency_seconds},
               {"bytes_per_second", transfer.bytes_per_second}};
  add_if(json, "power_watts", transfer.power_watts);
  return json;
}

Json rates_json(const Platform& platform) {
  Json json = Json::object();
  for (const auto& [op, rates] : platform.ops) {
    add_if(json[op], "flops_per_second", rates.flops_per_second);
    add_if(json[op], "flops_per_joule", rates.flops_per_joule);
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
  Json document = {{"format", "poet-platform"}, {"version", 1}, {"name", platform.name}};
  if (!platform.description.empty()) document["description"] = platform.description;
  document["flops_per_second"] = platform.flops_per_second;
  document["flops_per_joule"] = platform.flops_per_joule;
  document["page_in"] = transfer_json(platform.page_in);
  document["page_out"] = transfer_json(platform.page_out);
  document["memory_power_watts"] = platform.memory_power_watts;
  if (platform.cpu_power_watts > 0) document["cpu_power_watts"] = platform.cpu_power_watts;
  document["element_bytes"] = platform.element_bytes;
  add_if(document, "ram_bytes", platform.ram_bytes);
  if (!platform.provenance.empty()) document["provenance"] = platform.provenance;
  if (!platform.ops.empty()) document["ops"] = rates_json(platform);
  add_if(document, "memory_bytes_per_second", platform.memory_bytes_per_second);
  add_if(document, "block_bytes", platform.block_bytes);
  add_if(document, "storage_bytes", platform.storage_bytes);
  add_if(document, "erase_cycles", platform.erase_cycles);
  if (platform.reserve_bytes > 0) document["reserve_bytes"] = platform.reserve_bytes;
  add_if(document, "flash_bytes", platform.flash_bytes);
  if (platform.parameters_in == ParametersIn::flash) document["parameters_in"] = "flash";
  return json_write(document, false);
}

}  // namespace poet
