// Schedule files as people write them. The reader of complete files refuses what is missing, since
// a file that a program wrote has everything; here a stage is what somebody typed.

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

/// Nodes by index or by name.
class NodeReader {
 public:
  explicit NodeReader(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      const auto [at, is_new] = index_.emplace(node.name, static_cast<int>(names_.size()));
      if (!is_new) at->second = kAmbiguous;
      names_.push_back(node.name);
    }
  }

  std::vector<int> read(const JsonCursor& list) const {
    std::vector<int> nodes;
    for (const JsonCursor& at : list.elements(kMaxListLength)) nodes.push_back(read_node_at(at));
    return nodes;
  }

 private:
  static constexpr int kAmbiguous = -1;

  /// An index outside the graph is for the replay to report, with the stage.
  int read_node_at(const JsonCursor& at) const {
    if (!at.is_string()) {
      return static_cast<int>(
          at.integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    }
    const std::string name = at.string();
    const auto found = index_.find(name);
    if (found == index_.end()) {
      at.fail(fmt::format("found '{}', which is no node; expected a name or an index{}",
                          printable(name), did_you_mean(name, names_)));
    }
    if (found->second == kAmbiguous) {
      at.fail(
          fmt::format("found '{}', the name of several nodes; expected an index", printable(name)));
    }
    return found->second;
  }

  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, int> index_;
};

Schedule read_draft_stages(const JsonCursor& list, const Graph& graph) {
  const NodeReader nodes(graph);
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
      std::vector<int> entries = member ? nodes.read(*member) : std::vector<int>();
      std::sort(entries.begin(), entries.end());
      return entries;
    };
    schedule.stages.push_back({.resident = set("resident"),
                               .compute = nodes.read(at.required("compute")),
                               .page_out = set("page_out"),
                               .page_in = set("page_in")});
  }
  return schedule;
}

void read_draft_request(const JsonCursor& at, ScheduleDraft& draft) {
  at.allow_only(keys_of<Request>());
  const auto budget = [&](const char* key, auto& value) {
    if (const auto member = at.optional(key)) read_value(*member, value.emplace());
  };
  budget("ram_budget_bytes", draft.ram_budget_bytes);
  budget("runtime_budget_seconds", draft.runtime_budget_seconds);
  budget("runtime_budget_ratio", draft.runtime_budget_ratio);
  for_each_field(kFields<Request>, [&](const auto& field) {
    const auto member = at.optional(field.key);
    if (member) read_value(*member, field.of(draft.request), kNumberRange<Request>, field.least);
  });
}

template <typename Info>
void read_if_there(const JsonCursor& root, const char* key, std::optional<Info>& info) {
  const auto member = root.optional(key);
  if (member) read_value(*member, info);
}

}  // namespace

ScheduleDraft parse_schedule_draft(std::string_view text, const std::string& source,
                                   const GraphOfDraft& graph_of) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, kScheduleFormat, 1, kNewestScheduleVersion);
  root.allow_only({"format", "version", "code", "status", "model", "platform", "request", "summary",
                   "solver", "nodes", "stages", "program"});
  ScheduleDraft draft;
  read_if_there(root, "model", draft.model);
  read_if_there(root, "platform", draft.platform);
  if (const auto request = root.optional("request")) read_draft_request(*request, draft);
  if (const auto nodes = root.optional("nodes")) {
    draft.graph = read_nodes(*nodes);
  } else if (graph_of) {
    draft.graph = graph_of(draft);
  } else {
    root.fail("found no 'nodes', expected them, or a model that has them (--model)");
  }
  draft.schedule = read_draft_stages(root.required("stages"), draft.graph);
  return draft;
}

}  // namespace poet
