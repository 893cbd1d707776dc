// Schedule files as people write them. The reader of complete files refuses what is missing, since
// a file that a program wrote has everything; here a stage is what somebody typed. What a replay
// finds out may be there, as in a file that was edited, and is not believed. A name may stand for a
// node if one node alone has it. Lists of a stage are sorted, because only computations have an
// order that means something.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/node_reader.hpp"
#include "formats/order_keys.hpp"
#include "formats/read_schedule.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "report/schedule_draft.hpp"

namespace poet {
namespace {

/// An index outside the graph is for the replay to report, with the stage.
std::vector<int> read_node_list(const JsonCursor& list, const NodeReader& reader) {
  constexpr std::int64_t kLeast = std::numeric_limits<int>::min();
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::vector<int> nodes;
  for (const JsonCursor& at : list.elements(kMaxListLength)) {
    nodes.push_back(reader.read(at, kLeast, kMost));
  }
  return nodes;
}

/// Peaks may be there, as in a complete file, and are not read: the replay finds them out.
Schedule read_draft_stages(const JsonCursor& list, const Graph& graph) {
  const NodeReader nodes(graph.nodes);
  Schedule schedule;
  for (const JsonCursor& at : list.elements(kMaxListLength)) {
    at.allow_only({"stage", "resident", "compute", "page_out", "page_in", "peak_ram_bytes"});
    const auto number = at.optional("stage");
    const std::size_t t = schedule.stages.size();
    if (number && number->integer() != static_cast<std::int64_t>(t)) {
      number->fail_expecting(fmt::format("{}: stages are listed in order", t));
    }
    // Only computations happen in the order in which they are listed.
    const auto set = [&](const char* key) {
      const auto member = at.optional(key);
      std::vector<int> entries = member ? read_node_list(*member, nodes) : std::vector<int>();
      std::sort(entries.begin(), entries.end());
      return entries;
    };
    schedule.stages.push_back({.resident = set("resident"),
                               .compute = read_node_list(at.required("compute"), nodes),
                               .page_out = set("page_out"),
                               .page_in = set("page_in")});
  }
  return schedule;
}

/// The members of a request that are there.
void read_draft_request(const JsonCursor& at, Request& request) {
  at.allow_only(keys_of<Request>());
  for_each_field(kFields<Request>, [&](const auto& field) {
    const auto member = at.optional(field.key);
    if (member) read_value(*member, field.of(request), kNumberRange<Request>, field.least);
  });
}

/// A budget of so many times the runtime of the nodes in seconds, which stay finite. A file states
/// both; seconds are what was solved.
void settle_runtime(const JsonCursor& request, ScheduleFile& draft) {
  if (request.optional("runtime_budget_seconds")) return;
  if (!request.optional("runtime_budget_ratio")) return;
  draft.request.limits.runtime_budget_seconds =
      std::min(draft.request.runtime_budget_ratio * baseline(draft.graph).runtime_seconds,
               std::numeric_limits<double>::max());
}

/// Digests follow from the nodes and their order, so that only the order has to be right.
void check_draft_order(const JsonCursor& root, const ScheduleFile& draft) {
  const auto model = root.optional("model");
  const auto list = model ? model->optional("order") : std::nullopt;
  if (list) {
    check_order_list(*list, draft.model.order, draft.graph.size());
    with_place(list->place(), [&] { put_back(draft.graph, draft.model.order); });
  } else if (const auto nodes = root.optional("nodes")) {
    refuse_choices(*nodes, draft.graph);
  }
}

/// Whose graph it is that a file has, if it does not say.
ModelInfo unnamed_model(std::string_view text, const std::string& source) {
  return {.name = source == "-" ? "stdin" : std::filesystem::path(source).stem().string(),
          .source = source,
          .backward = std::string(name_of(Backward::explicit_nodes)),
          .sha256 = sha256_hex(text)};
}

}  // namespace

bool is_draft(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  return document.is_object() && document.contains("stages") && !document.contains("summary");
}

// The nodes come before the stages, which may name them.
ScheduleFile parse_schedule_draft(std::string_view text, const std::string& source,
                                  const GraphOfDraft& graph_of) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, kScheduleFormat, 1, kNewestScheduleVersion);
  root.allow_only({"format", "version", "code", "status", "model", "platform", "request", "summary",
                   "solver", "nodes", "stages", "program"});
  ScheduleFile draft = make_draft();
  const auto model = root.optional("model");
  const bool is_named = model && !model->is_null();
  draft.model = is_named ? read_struct<ModelInfo>(*model) : unnamed_model(text, source);
  if (const auto platform = root.optional("platform")) read_value(*platform, draft.platform);
  const auto request = root.optional("request");
  if (request) read_draft_request(*request, draft.request);
  const auto nodes = root.optional("nodes");
  if (nodes) {
    draft.graph = read_nodes(*nodes);
  } else if (graph_of) {
    draft.graph = graph_of(draft);
  } else {
    root.fail("found no 'nodes', expected them, or a model that has them (--model)");
  }
  check_draft_order(root, draft);
  if (request) settle_runtime(*request, draft);
  draft.schedule = read_draft_stages(root.required("stages"), draft.graph);
  return draft;
}

}  // namespace poet
