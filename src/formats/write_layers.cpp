#include "formats/write_layers.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_text.hpp"
#include "model/fields.hpp"
#include "model/op.hpp"

namespace poet {
namespace {

using LayerJson = nlohmann::ordered_json;
using Kind = AttributeRule::Kind;

constexpr std::int64_t kIndexBytes = 4;

LayerJson extents_json(const std::vector<std::int64_t>& extents) {
  LayerJson list = LayerJson::array();
  for (const std::int64_t extent : extents) {
    list.push_back(extent == 0 ? LayerJson("N") : LayerJson(extent));
  }
  return list;
}

LayerJson window_json(const Attribute& window) {
  if (window.height == window.width) return window.height;
  return LayerJson{window.height, window.width};
}

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
    case Kind::choices:
      break;
  }
  LayerJson words = LayerJson::array();
  for (const std::int64_t word : attribute.list) {
    words.push_back(rule.words[word]);
  }
  return words;
}

bool is_usual(const Attribute& attribute, const AttributeRule& rule) {
  return rule.otherwise && attribute.list.empty() && attribute.height == *rule.otherwise &&
         attribute.width == *rule.otherwise;
}

LayerJson layer_json(const LayerSpec& layer) {
  LayerJson json = {{"name", layer.name}, {"op", layer.op}, {"inputs", LayerJson::array()}};
  for (const InputName& input : layer.inputs) json["inputs"].push_back(input.name);
  for (const AttributeRule& rule : find_op(layer.op)->attributes) {
    const Attribute& attribute = layer.attributes.at(rule.name);
    // Flags and choices keep their value in `height` alone.
    const bool is_scalar = rule.kind == Kind::flag || rule.kind == Kind::choice;
    const Attribute compared =
        is_scalar ? Attribute{attribute.height, attribute.height} : attribute;
    if (!is_usual(compared, rule)) json[rule.name] = attribute_json(attribute, rule);
  }
  if (layer.target) json["target"] = layer.target->name;
  if (layer.weights) json["weights"] = layer.weights->name;
  if (!layer.trainable) json["trainable"] = false;
  if (!layer.recompute) json["recompute"] = false;
  if (!layer.page) json["page"] = false;
  if (layer.workspace_bytes > 0) json["workspace_bytes"] = layer.workspace_bytes;
  if (layer.in_place_over) json["in_place"] = layer.in_place_over->name;
  if (layer.in_place) json["in_place"] = *layer.in_place;
  return json;
}

LayerJson input_json(const InputSpec& input) {
  Shape shape = input.shape;
  if (input.has_batch) shape[0] = 0;
  LayerJson json = {{"shape", extents_json(shape)}};
  if (input.element_bytes == kIndexBytes) json["dtype"] = "int32";
  if (input.repeatable) json["repeatable"] = true;
  return json;
}

}  // namespace

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
