// Models and platforms as files. What is written reads back as the same; what has its default is
// left out, as people read and edit these files.
//
// Platforms are written by their table of fields. Models are not: a layer's keys depend on its op,
// and measured nodes have short forms that no table knows. Only what an import or a measurement
// makes can be written, which has no dtype of its own but int32.

#include "formats/write_inputs.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "model/fields.hpp"
#include "model/op.hpp"

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
  add_if(json, "storage_bytes", costs.storage_bytes);
  json["inputs"] = words_json(node.inputs);
  if (node.backward) json["backward"] = true;
  if (node.in_place) json["in_place"] = node.in_place->name;
  if (node.workspace_bytes > 0) json["workspace_bytes"] = node.workspace_bytes;
  if (!node.recompute) json["recompute"] = false;
  if (!node.page) json["page"] = false;
  if (!node.bank.empty()) json["bank"] = node.bank;
  if (!node.reads_parameters.empty()) {
    json["reads_parameters"] = words_json(node.reads_parameters);
  }
  if (!node.writes_parameters.empty()) {
    json["writes_parameters"] = words_json(node.writes_parameters);
  }
  return json;
}

using LayerJson = nlohmann::ordered_json;
using Kind = AttributeRule::Kind;

constexpr std::int64_t kIndexBytes = 4;

// An extent of 0 stands for the batch in a specification, and "N" stands for it in a file.
LayerJson extents_json(const std::vector<std::int64_t>& extents) {
  LayerJson list = LayerJson::array();
  for (const std::int64_t extent : extents) {
    list.push_back(extent == 0 ? LayerJson("N") : LayerJson(extent));
  }
  return list;
}

// One number for both, as people write it.
LayerJson window_json(const Attribute& window) {
  if (window.height == window.width) return window.height;
  return LayerJson{window.height, window.width};
}

/// The way back from read_attribute() of read_layers.cpp, by the same table.
LayerJson attribute_json(const Attribute& attribute, const AttributeRule& rule) {
  switch (rule.kind) {
    case Kind::integer:
      return attribute.height;
    case Kind::flag:
      return attribute.height != 0;
    case Kind::padding:
      return attribute.height < 0 ? LayerJson("same") : window_json(attribute);
    case Kind::window:
      return window_json(attribute);
    case Kind::list:
      return attribute.list;
    case Kind::shape:
      return extents_json(attribute.list);
    case Kind::choice:
      return rule.words[attribute.height];
    case Kind::number:
      return attribute.number;
    case Kind::choices:
      break;
  }
  LayerJson words = LayerJson::array();
  for (const std::int64_t word : attribute.list) {
    words.push_back(rule.words[word]);
  }
  return words;
}

LayerJson layer_json(const LayerSpec& layer) {
  LayerJson json = {{"name", layer.name}, {"op", layer.op}, {"inputs", LayerJson::array()}};
  for (const InputName& input : layer.inputs) json["inputs"].push_back(input.name);
  for (const AttributeRule& rule : find_op(layer.op)->attributes) {
    const Attribute& attribute = layer.attributes.at(rule.name);
    if (!rule.is_usual(attribute)) json[rule.name] = attribute_json(attribute, rule);
  }
  if (layer.target) json["target"] = layer.target->name;
  if (layer.weights) json["weights"] = layer.weights->name;
  if (!layer.trainable) json["trainable"] = false;
  if (layer.trained) {
    json["trainable"] = LayerJson::array();
    for (const InputName& tensor : *layer.trained) json["trainable"].push_back(tensor.name);
  }
  if (!layer.recompute) json["recompute"] = false;
  if (!layer.page) json["page"] = false;
  if (!layer.bank.empty()) json["bank"] = layer.bank;
  if (layer.workspace_bytes > 0) json["workspace_bytes"] = layer.workspace_bytes;
  if (layer.in_place_over) json["in_place"] = layer.in_place_over->name;
  if (layer.in_place) json["in_place"] = *layer.in_place;
  if (layer.frozen_weights != FrozenWeights::float32) {
    json["frozen_weights"] = name_of(layer.frozen_weights);
  }
  if (layer.frozen_parameters != FrozenParameters::in_place) {
    json["frozen_parameters"] = name_of(layer.frozen_parameters);
  }
  if (layer.copy != CopyRule::chosen) json["copy"] = name_of(layer.copy);
  if (!layer.differs.empty()) json["differs"] = layer.differs;
  return json;
}

LayerJson input_json(const InputSpec& input) {
  Shape shape = input.shape;
  if (input.has_batch) shape[0] = 0;
  LayerJson json = {{"shape", extents_json(shape)}};
  if (input.element_bytes == kIndexBytes) json["dtype"] = "int32";
  if (input.repeatable) json["repeatable"] = true;
  if (input.zeros) json["zeros"] = true;
  if (input.copy != CopyRule::chosen) json["copy"] = name_of(input.copy);
  return json;
}

}  // namespace

std::string model_json(const ModelSpec& spec) {
  Json document = {{"format", "poet-model"}, {"version", 2}, {"name", spec.name}};
  for (const Parameters& each : spec.parameters) {
    document[each.is_state ? "state" : "parameters"][each.name] = each.bytes.value_or(0);
  }
  document["nodes"] = Json::array();
  for (const MeasuredSpec& node : spec.nodes) document["nodes"].push_back(measured_json(node));
  return json_write(document, false);
}

std::string platform_json(const Platform& platform) {
  const bool is_newer =
      platform.standing || !platform.sources.empty() || !platform.intervals.empty();
  const bool has_prices = platform.flash_bytes_per_second || platform.flash_joules_per_byte;
  const int version = !platform.banks.empty() || has_prices ? 3 : is_newer ? 2 : 1;
  Json document = {{"format", "poet-platform"}, {"version", version}};
  add_fields(document, platform, kFields<Platform>);
  add_fields(document, platform, kNewPlatformFields);
  add_fields(document, platform, kFlashPriceFields);
  if (!platform.banks.empty()) {
    document["banks"] = list_of(platform.banks);
    document.erase("ram_bytes");  // which is their sum
  }
  for (const FigureInterval& each : platform.intervals) {
    document[Json::json_pointer(each.figure)] = {each.low, each.high};
  }
  return json_write(document, false);
}

// `input` has a key of its own, as in files that people write.
std::string layers_json(const ModelSpec& spec) {
  LayerJson document = {{"format", "poet-model"}, {"version", 2}, {"name", spec.name}};
  for (const InputSpec& input : spec.inputs) {
    if (input.name == "input") {
      document["input"] = input_json(input);
    } else {
      document["inputs"][input.name] = input_json(input);
    }
  }
  if (spec.update != Update::fused) document["update"] = name_of(spec.update);
  if (spec.optimizer != Optimizer::sgd) document["optimizer"] = name_of(spec.optimizer);
  document["layers"] = LayerJson::array();
  for (const LayerSpec& layer : spec.layers) document["layers"].push_back(layer_json(layer));
  return json_write(document, false);
}

}  // namespace poet
