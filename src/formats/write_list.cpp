#include "formats/write_list.hpp"

#include <nlohmann/json.hpp>

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/write_inputs.hpp"
#include "report/fields.hpp"

namespace poet {

template <>
inline constexpr auto kNames<AttributeRule::Kind> =
    kWords<AttributeRule::Kind::integer, AttributeRule::Kind::flag, AttributeRule::Kind::window,
           AttributeRule::Kind::padding, AttributeRule::Kind::list, AttributeRule::Kind::shape,
           AttributeRule::Kind::choice, AttributeRule::Kind::choices>;

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ModelReport& report) {
  return {{"name", report.model.name},
          {"node_count", report.model.node_count},
          {"forward_node_count", report.model.forward_node_count},
          {"baseline_peak_ram_bytes", report.baseline_peak_ram_bytes},
          {"working_set_bytes", report.working_set_bytes}};
}

/// All that its file has, so that a file with changes can be made of it.
Json to_json(const Platform& platform) {
  return Json::parse(platform_json(platform));
}

Json default_of(const AttributeRule& rule) {
  if (!rule.default_text.empty()) return rule.default_text;
  if (rule.kind == AttributeRule::Kind::flag) return *rule.otherwise != 0;
  if (rule.words.empty()) return *rule.otherwise;
  return rule.words[*rule.otherwise];
}

Json to_json(const AttributeRule& rule) {
  Json json = {{"name", rule.name}, {"kind", name_of(rule.kind)}};
  if (!rule.words.empty()) json["words"] = rule.words;
  if (rule.words.empty() && rule.kind != AttributeRule::Kind::flag) json["least"] = rule.least;
  if (rule.otherwise) json["default"] = default_of(rule);
  if (rule.since > 1) json["version"] = rule.since;
  return json;
}

Json to_json(const OpRule& op) {
  Json json = {{"name", op.name}, {"input_count", op.input_count.least}};
  if (op.input_count.most != op.input_count.least) json["most_inputs"] = op.input_count.most;
  json["version"] = op.infer != nullptr ? 1 : 2;
  json["attributes"] = Json::array();
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
  for (const NodeFigures& node : report.nodes) {
    if (!node.views.empty()) document["nodes"][node.node]["views"] = list_of(node.views);
  }
  return json_write(document, false);
}

}  // namespace poet
