// Nodes with measured costs, as users write them and as `run --profile` and `fit` do. Nothing is
// computed from an op here: bytes, times and energies are what the file states, so no platform is
// needed. Keys are a table with the version that brought each, so that a new key is one line.

#include "formats/model_values.hpp"

namespace poet {
namespace {

/// A key of a node: the version of model files that brought it, whether it must be there, and what
/// becomes of its value.
struct NodeKey {
  std::string_view name;
  int version;
  bool is_required;
  void (*read)(const JsonCursor& at, MeasuredSpec& node);
};

constexpr NodeKey kNodeKeys[] = {
    {"name", 1, true, [](auto& at, auto& node) { node.name = read_name(at); }},
    {"op", 1, false, [](auto& at, auto& node) { node.op = read_name(at); }},
    {"bytes", 1, true, [](auto& at, auto& node) { node.costs.bytes = at.integer(); }},
    {"runtime_seconds", 1, true,
     [](auto& at, auto& node) { node.costs.runtime_seconds = at.number(); }},
    {"energy_joules", 1, true,
     [](auto& at, auto& node) { node.costs.energy_joules = at.number(); }},
    {"page_in_energy_joules", 1, false,
     [](auto& at, auto& node) { node.costs.page_in_energy_joules = at.number(); }},
    {"page_out_energy_joules", 1, false,
     [](auto& at, auto& node) { node.costs.page_out_energy_joules = at.number(); }},
    {"inputs", 1, true, [](auto& at, auto& node) { node.inputs = read_references(at, kMaxNodes); }},
    {"backward", 1, false, [](auto& at, auto& node) { node.backward = at.boolean(); }},
    {"in_place", 2, false, [](auto& at, auto& node) { node.in_place = read_reference(at); }},
    {"workspace_bytes", 2, false,
     [](auto& at, auto& node) { node.workspace_bytes = at.integer(); }},
    {"recompute", 2, false, [](auto& at, auto& node) { node.recompute = at.boolean(); }},
    {"page", 2, false, [](auto& at, auto& node) { node.page = at.boolean(); }},
    {"bank", 2, false, [](auto& at, auto& node) { node.bank = read_name(at); }},
    {"reads_parameters", 2, false,
     [](auto& at, auto& node) { node.reads_parameters = read_references(at, kMaxNodes); }},
    {"writes_parameters", 2, false,
     [](auto& at, auto& node) {
       node.writes_parameters = read_references(at, kMaxNodes);
       if (node.writes_parameters.empty() || !node.recompute) return;
       at.fail("found parameters that the node changes, expected \"recompute\": false beside them");
     }},
    {"page_in_seconds", 2, false,
     [](auto& at, auto& node) { node.costs.page_in_seconds = at.number(); }},
    {"page_out_seconds", 2, false,
     [](auto& at, auto& node) { node.costs.page_out_seconds = at.number(); }},
};

std::vector<std::string_view> keys_of_version(int version) {
  std::vector<std::string_view> keys;
  for (const NodeKey& key : kNodeKeys) {
    if (key.version == version) keys.push_back(key.name);
  }
  return keys;
}

/// Reads a node as far as it can be read. An unknown key may be the misspelt name of one that is
/// missing, and leaves the name alone to be read.
MeasuredSpec read_node(const JsonCursor& cursor, int version, InputErrors& errors) {
  MeasuredSpec node{.place = cursor.place(), .op = "measured"};
  const bool are_known =
      errors.collect([&] { allow_keys(cursor, version, keys_of_version(1), keys_of_version(2)); });
  if (!cursor.is_object()) return node;
  for (const NodeKey& key : kNodeKeys) {
    if (!are_known && key.name != "name") continue;
    errors.collect([&] {
      if (key.is_required) return key.read(cursor.required(key.name), node);
      if (const auto member = cursor.optional(key.name)) key.read(*member, node);
    });
  }
  return node;
}

}  // namespace

void read_nodes(const JsonCursor& nodes, ModelSpec& spec, InputErrors& errors) {
  for (const JsonCursor& node : nodes.elements(kMaxNodes)) {
    spec.nodes.push_back(read_node(node, spec.version, errors));
  }
  if (spec.nodes.empty()) nodes.fail_expecting("at least one node");
}

}  // namespace poet
