// What the templates of json_fields.hpp leave to functions: values whose form in files is not the
// form of their struct.

#include "formats/json/json_fields.hpp"

#include "base/input_errors.hpp"
#include "problem/fields.hpp"

namespace poet {

std::vector<int> read_ints(const JsonCursor& list, int least) {
  std::vector<int> result;
  for (const JsonCursor& entry : list.elements(kMaxListLength)) {
    result.push_back(static_cast<int>(entry.integer(least, std::numeric_limits<int>::max())));
  }
  return result;
}

// Four lists without keys, in a fixed order, as a schedule has a stage for each node.
Schedule read_stage_lists(const JsonCursor& list) {
  Schedule schedule;
  for (const JsonCursor& stage : list.elements(kMaxListLength)) {
    const std::vector<JsonCursor> lists = stage.elements(4);
    if (lists.size() != 4) stage.fail_expecting("four lists of nodes");
    schedule.stages.push_back({.resident = read_ints(lists[0], 0),
                               .compute = read_ints(lists[1], 0),
                               .page_out = read_ints(lists[2], 0),
                               .page_in = read_ints(lists[3], 0)});
  }
  return schedule;
}

// Whether the nodes are a graph is for make_graph() to say, whose error gets the place of the list.
Graph read_nodes(const JsonCursor& list) {
  std::vector<Node> nodes;
  std::vector<std::string_view> keys;
  append_keys(keys, kFields<Node>);
  append_keys(keys, kExactNodeFields);
  for (const JsonCursor& at : list.elements(kMaxListLength)) {
    at.allow_only(keys);
    Node& node = nodes.emplace_back();
    read_fields(at, node, kFields<Node>);
    read_fields(at, node, kExactNodeFields);
  }
  return with_place(list.place(), [&] { return make_graph(std::move(nodes)); });
}

SolverFeatures read_features(const JsonCursor& at) {
  const std::string names = at.string();
  return with_place(at.place(), [&] { return features_without(names); });
}

}  // namespace poet
