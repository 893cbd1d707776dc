#include "formats/write_list.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ModelReport& report) {
  return {{"name", report.model.name},
          {"node_count", report.model.node_count},
          {"forward_node_count", report.model.forward_node_count},
          {"baseline_peak_ram_bytes", report.baseline_peak_ram_bytes},
          {"working_set_bytes", report.working_set_bytes}};
}

Json to_json(const Transfer& transfer) {
  return {{"latency_seconds", transfer.latency_seconds},
          {"bytes_per_second", transfer.bytes_per_second}};
}

Json to_json(const Platform& platform) {
  Json json = {{"name", platform.name},
               {"description", platform.description},
               {"flops_per_second", platform.flops_per_second},
               {"flops_per_joule", platform.flops_per_joule},
               {"page_in", to_json(platform.page_in)},
               {"page_out", to_json(platform.page_out)},
               {"memory_power_watts", platform.memory_power_watts},
               {"cpu_power_watts", platform.cpu_power_watts}};
  if (platform.ram_bytes) json["ram_bytes"] = *platform.ram_bytes;
  json["provenance"] = platform.provenance;
  return json;
}

Json to_json(const AttributeRule& rule) {
  const bool is_flag = rule.kind == AttributeRule::Kind::flag;
  Json json = {{"name", rule.name},
               {"kind", is_flag                                    ? "flag"
                        : rule.kind == AttributeRule::Kind::window ? "window"
                                                                   : "integer"}};
  if (!is_flag) json["least"] = rule.least;
  if (rule.otherwise)
    json["default"] = is_flag ? Json(*rule.otherwise != 0) : Json(*rule.otherwise);
  return json;
}

Json to_json(const OpRule& op) {
  Json json = {{"name", op.name}, {"input_count", op.input_count}, {"attributes", Json::array()}};
  for (const AttributeRule& rule : op.attributes) json["attributes"].push_back(to_json(rule));
  return json;
}

template <typename List>
void add_list(Json& document, const char* key, const std::optional<List>& list) {
  if (!list) return;
  document[key] = Json::array();
  for (const auto& one : *list) document[key].push_back(to_json(one));
}

}  // namespace

std::string list_json(const BuiltIn& lists, bool compact) {
  Json document = Json::object();
  add_list(document, "models", lists.models);
  add_list(document, "platforms", lists.platforms);
  add_list(document, "ops", lists.ops);
  return document.dump(compact ? -1 : 2) + "\n";
}

std::string info_json(const ModelReport& report) {
  Json document = {{"format", "poet-info"}, {"version", 1}};
  add_fields(document, report, kFields<ModelReport>);
  document["nodes"] = list_of(report.nodes);
  return json_write(document, false);
}

}  // namespace poet
