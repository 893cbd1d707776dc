// Documents of commands that make no schedule: lists, `info`, `run`. The documents of `info` and
// `run` have a format and a version of their own, as neither can be read as a schedule.

#include "formats/write_list.hpp"

#include <cmath>

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
           AttributeRule::Kind::choice, AttributeRule::Kind::choices, AttributeRule::Kind::number>;

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
  if (rule.kind == AttributeRule::Kind::number) return rule.usual_number;
  if (rule.kind == AttributeRule::Kind::flag) return *rule.otherwise != 0;
  if (rule.words.empty()) return *rule.otherwise;
  return rule.words[*rule.otherwise];
}

Json to_json(const AttributeRule& rule) {
  Json json = {{"name", rule.name}, {"kind", name_of(rule.kind)}};
  if (!rule.words.empty()) json["words"] = rule.words;
  if (rule.kind == AttributeRule::Kind::number) {
    json["least"] = rule.range.least;
    json[rule.range.is_below_most ? "below" : "most"] = rule.range.most;
  } else if (rule.words.empty() && rule.kind != AttributeRule::Kind::flag) {
    json["least"] = rule.least;
  }
  if (!rule.is_required()) json["default"] = default_of(rule);
  if (rule.since > 1) json["version"] = rule.since;
  return json;
}

// The same rules check model files, so that the list says what the reader does.
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

// A number that has diverged is null: JSON has no NaN, and the run is a result all the same.
Json finite(double number) {
  return std::isfinite(number) ? Json(number) : Json();
}

Json losses(const RunResult& result) {
  Json all = Json::array();
  for (const double loss : result.losses) all.push_back(finite(loss));
  return all;
}

Json digests(const std::vector<GradientResult>& results) {
  Json all = Json::array();
  for (const GradientResult& gradient : results) {
    all.push_back({{"name", gradient.name},
                   {"count", gradient.count},
                   {"sha256", gradient.sha256},
                   {"equal", gradient.is_equal}});
    if (!gradient.error) continue;
    all.back()["relative_difference"] = finite(gradient.error->relative_difference);
    all.back()["cosine"] = finite(gradient.error->cosine);
  }
  return all;
}

Json op_seconds(const RunResult& result) {
  Json all = Json::object();
  for (const auto& [op, seconds] : result.op_seconds) all[op] = seconds;
  return all;
}

}  // namespace

std::string list_json(const BuiltIn& lists, bool compact) {
  Json document = Json::object();
  add_list(document, "models", lists.models);
  add_list(document, "platforms", lists.platforms);
  add_list(document, "ops", lists.ops);
  return document.dump(compact ? -1 : 2) + "\n";
}

// Most nodes read tensors in their own shapes, so `views` is there only if a node reads another.
std::string info_json(const ModelReport& report) {
  Json document = {{"format", "poet-info"}, {"version", 1}};
  add_fields(document, report, kFields<ModelReport>);
  document["nodes"] = list_of(report.nodes);
  for (const NodeFigures& node : report.nodes) {
    if (!node.views.empty()) document["nodes"][node.node]["views"] = list_of(node.views);
  }
  return json_write(document, false);
}

std::string epoch_json(const EpochResult& epoch) {
  Json line = {{"epoch", epoch.epoch},
               {"steps", epoch.steps},
               {"loss", std::isfinite(epoch.loss) ? Json(epoch.loss) : Json()},
               {"seconds", epoch.seconds}};
  if (epoch.hits.rows > 0) {
    line["accuracy"] =
        static_cast<double>(epoch.hits.correct) / static_cast<double>(epoch.hits.rows);
    line["correct"] = epoch.hits.correct;
    line["rows"] = epoch.hits.rows;
  }
  return line.dump() + "\n";
}

// The peak of the schedule stands beside the peak that was touched, so that a reader sees both
// agree.
std::string run_json(const ScheduleFile& schedule, const RunSettings& settings,
                     const RunResult& result) {
  Json document = {{"format", "poet-run"},
                   {"version", 1},
                   {"equal", result.equal()},
                   {"equal_losses", result.has_equal_losses},
                   {"equal_parameters", result.has_equal_parameters},
                   {"model",
                    {{"name", schedule.model.name},
                     {"sha256", schedule.model.sha256},
                     {"batch_size", schedule.model.batch_size}}},
                   {"steps", settings.steps},
                   {"seed", settings.seed},
                   {"losses", losses(result)},
                   {"arena_bytes", result.arena_bytes},
                   {"peak_touched_bytes", result.peak_touched_bytes},
                   {"peak_ram_bytes", schedule.summary.peak_ram_bytes},
                   {"moved_bytes", result.moved_bytes},
                   {"page_out_bytes", result.page_out_bytes},
                   {"page_in_bytes", result.page_in_bytes},
                   {"seconds", result.seconds},
                   {"unscheduled_seconds", result.unscheduled_seconds},
                   {"op_seconds", op_seconds(result)},
                   {"gradients", digests(result.gradients)}};
  if (result.is_forward) document["outputs"] = digests(result.outputs);
  if (!result.statistics.empty()) document["statistics"] = digests(result.statistics);
  return json_write(document, false);
}

}  // namespace poet
