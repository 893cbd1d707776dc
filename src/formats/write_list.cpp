#include "formats/write_list.hpp"

#include <nlohmann/json.hpp>

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ModelListing& model) {
  return {{"name", model.name},
          {"node_count", model.node_count},
          {"forward_node_count", model.forward_node_count},
          {"baseline_peak_ram_bytes", model.baseline_peak_ram_bytes},
          {"working_set_bytes", model.working_set_bytes}};
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

}  // namespace

std::string list_json(const std::vector<ModelListing>* models,
                      const std::vector<Platform>* platforms, bool compact) {
  Json document = Json::object();
  if (models != nullptr) {
    document["models"] = Json::array();
    for (const ModelListing& model : *models) document["models"].push_back(to_json(model));
  }
  if (platforms != nullptr) {
    document["platforms"] = Json::array();
    for (const Platform& platform : *platforms) document["platforms"].push_back(to_json(platform));
  }
  return document.dump(compact ? -1 : 2) + "\n";
}

}  // namespace poet
