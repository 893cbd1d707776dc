// Pages. A page is a frame with a style sheet, a script and the data as JSON, all in one file: it
// can be mailed, and opened years later without a network. The script draws; what it draws is
// computed here, where it can be tested without a browser. So the data hold the course of RAM as
// the replay has it and the offsets of the program, and no rule of schedules is written in
// JavaScript.
//
// The data stand in a script element, which ends at the first `</script`, even within a text. Names
// come from files of others, so every `<` of the JSON is written as an escape.

#include "formats/write_page.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/escape.hpp"
#include "base/text/figures.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "poet/error.hpp"
#include "report/alternatives.hpp"
#include "report/fields.hpp"
#include "schedule/lifetimes.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

/// Enough for all tensors of 500 nodes; some seconds.
constexpr std::int64_t kMaxWeighingWork = 200'000'000;

/// What a box of the arena holds: the place in the script's KINDS.
constexpr int kWorkspaceKind = 3;

std::string_view embedded_page(std::string_view name) {
  for (const EmbeddedFile& file : embedded_pages()) {
    if (file.name == name) return file.text;
  }
  throw InternalError(fmt::format("no file '{}' is embedded", name));
}

/// Data whose texts show every character that they have.
Json without_hidden(Json data) {
  if (data.is_string()) return xml_characters(data.get_ref<const std::string&>());
  if (data.is_structured()) {
    for (Json& each : data) each = without_hidden(std::move(each));
  }
  return data;
}

std::string in_script(const Json& data) {
  std::string result;
  for (const char c : json_write(without_hidden(data), true)) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

/// The frame with each mark replaced. What takes the place of a mark may contain other marks.
std::string page(const Json& data, std::string_view theme,
                 std::initializer_list<std::string_view> scripts) {
  std::string script;
  for (const std::string_view name : scripts) script += embedded_page(name);
  const std::pair<std::string_view, std::string> parts[] = {
      {"@THEME@", std::string(theme)},
      {"@TITLE@", xml_text(data.at("title").get<std::string>())},
      {"@STYLE@", std::string(embedded_page("page.css"))},
      {"@DATA@", in_script(data)},
      {"@SCRIPT@", script}};
  std::string text;
  std::string_view rest = embedded_page("page.html");
  for (const auto& [mark, by] : parts) {  // in the order of the frame
    const std::size_t at = rest.find(mark);
    if (at == rest.npos) throw InternalError(fmt::format("page.html has no {}", mark));
    text += rest.substr(0, at);
    text += by;
    rest.remove_prefix(at + mark.size());
  }
  return text + std::string(rest);
}

/// The boxes of the arena and the columns of RAM, from the flat program and the replay.
class ScheduleData {
 public:
  explicit ScheduleData(const ScheduleFile& file)
      : file_(file),
        graph_(file.graph),
        timeline_(make_timeline(file.graph, file.schedule, file.request.limits.paging_time)) {}

  Json write() {
    Json summary = json_of(file_.summary);
    add_fields(summary, file_.arena, kFields<ArenaFigures>);
    add_fields(summary, file_.banked, kFields<BankedFigures>);
    const std::string on = file_.platform ? " on " + file_.platform->name : "";
    return {{"title", file_.model.name + on},
            {"status", status()},
            {"summary", std::move(summary)},
            {"request", json_of(file_.request)},
            {"boundary", timeline_.boundary},
            {"columns", columns()},
            {"arena", arena()},
            {"nodes", nodes()}};
  }

 private:
  std::string status() const {
    return fmt::format("{}: {}", name_of(file_.status),
                       gap_text(file_.summary.gap, file_.summary.gap_extra));
  }

  Json columns() const {
    const int count = timeline_.size();
    std::vector<std::vector<Bytes>> bytes(4, std::vector<Bytes>(count));
    for (int node = 0; node < graph_.size(); ++node) {
      for (const Stay& stay : timeline_.lives[node].stays) {
        for (int c = stay.first; c <= stay.last; ++c) {
          bytes[static_cast<int>(stay.arrival)][c] += graph_.nodes[node].bytes;
        }
      }
    }
    Json stage = Json::array();
    Json node = Json::array();
    Json ram = Json::array();
    for (int c = 0; c < count; ++c) {
      const RamSample& sample = timeline_.columns[c];
      stage.push_back(sample.stage);
      node.push_back(sample.node);
      ram.push_back(sample.ram_bytes);
      bytes[kWorkspaceKind][c] = graph_.nodes[sample.node].workspace_bytes;
    }
    return {{"stage", stage},       {"node", node},
            {"ram", ram},           {"energy", spent()},
            {"computed", bytes[0]}, {"recomputed", bytes[1]},
            {"paged_in", bytes[2]}, {"workspace", bytes[kWorkspaceKind]}};
  }

  /// After each computation; what a stage pages counts at its last one.
  Json spent() const {
    Json sums = Json::array();
    Joules sum = 0;
    for (const Stage& stage : file_.schedule.stages) {
      for (const int node : stage.compute) {
        sum += graph_.nodes[node].energy_joules;
        if (node == stage.compute.back()) {
          for (const int out : stage.page_out) sum += graph_.nodes[out].page_out_energy_joules;
          for (const int in : stage.page_in) sum += graph_.nodes[in].page_in_energy_joules;
        }
        sums.push_back(sum);
      }
    }
    return sums;
  }

  /// Where each stay of a tensor lies, and each workspace; a move begins a box of its own. Empty
  /// without offsets.
  Json arena() {
    struct Open {
      int first = 0;
      Bytes offset = 0;
      int kind = 0;
    };
    Json boxes = Json::array();
    std::map<int, Open> open;
    std::set<int> seen;
    int column = -1;
    const auto close = [&](int node, int last) {
      const auto at = open.find(node);
      if (at == open.end()) return;
      if (at->second.first <= last) {
        boxes.push_back({node, at->second.first, last, at->second.offset, graph_.nodes[node].bytes,
                         at->second.kind});
      }
      open.erase(at);
    };
    const int count = timeline_.size();
    for (const Instruction& step : file_.program) {
      if (step.op == Instruction::Op::free) {
        close(step.node, column);
      } else if (step.op == Instruction::Op::compute) {
        ++column;
        if (step.over) close(*step.over, column - 1);
        if (!step.offset) return Json::array();
        const bool again = !seen.insert(step.node).second;
        open[step.node] = {column, *step.offset,
                           static_cast<int>(again ? Arrival::recomputed : Arrival::computed)};
        if (step.workspace_offset) {
          boxes.push_back({step.node, column, column, *step.workspace_offset,
                           graph_.nodes[step.node].workspace_bytes, kWorkspaceKind});
        }
      } else if (step.op == Instruction::Op::page_in) {
        open[step.node] = {column + 1, step.offset.value_or(0),
                           static_cast<int>(Arrival::paged_in)};
      } else if (step.op == Instruction::Op::move) {
        const Open before = open.at(step.node);
        close(step.node, column);
        open[step.node] = {column + 1, step.offset.value_or(0), before.kind};
      }
    }
    while (!open.empty()) close(open.begin()->first, count - 1);
    return boxes;
  }

  Json nodes() const {
    const std::vector<TensorChoice> choices = weigh_choices(file_, kMaxWeighingWork);
    Json list = Json::array();
    for (int node = 0; node < graph_.size(); ++node) {
      const Node& tensor = graph_.nodes[node];
      const TensorChoice& choice = choices[node];
      list.push_back({{"name", tensor.name},
                      {"op", tensor.op},
                      {"bytes", tensor.bytes},
                      {"backward", tensor.backward},
                      {"inputs", tensor.inputs},
                      {"users", graph_.users[node]},
                      {"stays", stays(node)},
                      {"page_outs", timeline_.lives[node].page_outs},
                      {"recompute_count", choice.recompute_count},
                      {"page_in_count", choice.page_in_count},
                      {"gap", {choice.gap_begin, choice.gap_end}},
                      {"weighed", choice.weighed},
                      {"alternatives", alternatives(choice)}});
    }
    return list;
  }

  Json stays(int node) const {
    Json list = Json::array();
    for (const Stay& stay : timeline_.lives[node].stays) {
      list.push_back({stay.first, stay.last, static_cast<int>(stay.arrival)});
    }
    return list;
  }

  static Json alternatives(const TensorChoice& choice) {
    Json list = Json::array();
    for (const Alternative& alternative : choice.alternatives) {
      list.push_back({{"treatment", name_of(alternative.treatment)},
                      {"replayed", alternative.replayed},
                      {"obstacle", alternative.obstacle},
                      {"energy_joules", alternative.energy_joules},
                      {"runtime_seconds", alternative.runtime_seconds},
                      {"peak_ram_bytes", alternative.peak_ram_bytes}});
    }
    return list;
  }

  const ScheduleFile& file_;
  const Graph& graph_;
  ScheduleTimeline timeline_;
};

template <typename Value>
bool varies(std::span<const SweepRow> rows, Value&& value) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const SweepRow& row) { return value(row) != value(rows.front()); });
}

/// As in pictures, the axis is the runtime budget if that varies and the RAM budget does not.
bool over_runtime(std::span<const SweepRow> rows) {
  return varies(rows, [](const SweepRow& row) { return row.problem.runtime_budget_ratio; }) &&
         !varies(rows, [](const SweepRow& row) { return row.problem.limits.ram_budget_bytes; });
}

Json point_json(const SweepRow& row) {
  const auto figure = [&](Joules Summary::*member) {
    return row.summary ? Json((*row.summary).*member) : Json(nullptr);
  };
  return {{"subject", subject_name(row.problem.model, row.problem.platform)},
          {"techniques", technique_set_name(row.problem.limits.techniques)},
          {"ram_budget_bytes", row.problem.limits.ram_budget_bytes},
          {"runtime_budget_ratio", row.problem.runtime_budget_ratio},
          {"status", name_of(row.status)},
          {"baseline_energy_joules", row.baseline_energy_joules},
          {"energy_joules", figure(&Summary::energy_joules)},
          {"lower_bound_joules", figure(&Summary::lower_bound_joules)}};
}

}  // namespace

std::string schedule_page(const ScheduleFile& file, std::string_view theme) {
  return page(ScheduleData(file).write(), theme,
              {"page_tools.js", "schedule_charts.js", "tensor_panel.js", "schedule_page.js"});
}

std::string sweep_page(std::span<const SweepRow> rows, std::string_view theme) {
  Json points = Json::array();
  for (const SweepRow& row : rows) points.push_back(point_json(row));
  const Json data{{"title", fmt::format("sweep of {}", counted(rows.size(), "point"))},
                  {"axis", over_runtime(rows) ? "runtime" : "ram"},
                  {"points", std::move(points)}};
  return page(data, theme, {"page_tools.js", "sweep_page.js"});
}

}  // namespace poet
