// Nodes with measured costs, as users write them and as `run --profile` and `fit` do. Nothing is
// computed from an op here: bytes, times and energies are what the file states, so no platform is
// needed.

#include "formats/model_values.hpp"

namespace poet {
namespace {

constexpr std::string_view kNodeKeys[] = {
    "in_place",         "workspace_bytes",   "recompute",       "page",
    "reads_parameters", "writes_parameters", "page_in_seconds", "page_out_seconds"};

/// What version 2 has added to nodes.
void read_attributes(const JsonCursor& cursor, MeasuredSpec& node, InputErrors& errors) {
  const auto read = [&](const char* key, auto&& work) {
    const auto member = cursor.optional(key);
    if (member) errors.collect([&] { work(*member); });
  };
  read("in_place", [&](const JsonCursor& at) { node.in_place = read_reference(at); });
  read("workspace_bytes", [&](const JsonCursor& at) { node.workspace_bytes = at.integer(); });
  read("recompute", [&](const JsonCursor& at) { node.recompute = at.boolean(); });
  read("page", [&](const JsonCursor& at) { node.page = at.boolean(); });
  read("reads_parameters",
       [&](const JsonCursor& at) { node.reads_parameters = read_references(at, kMaxNodes); });
  read("writes_parameters", [&](const JsonCursor& at) {
    node.writes_parameters = read_references(at, kMaxNodes);
    if (!node.writes_parameters.empty() && node.recompute) {
      at.fail("found parameters that the node changes, expected \"recompute\": false beside them");
    }
  });
  read("page_in_seconds", [&](const JsonCursor& at) { node.costs.page_in_seconds = at.number(); });
  read("page_out_seconds",
       [&](const JsonCursor& at) { node.costs.page_out_seconds = at.number(); });
}

/// Reads a node as far as it can be read. An unknown key may be the misspelt name of one that is
/// missing.
MeasuredSpec read_node(const JsonCursor& cursor, int version, InputErrors& errors) {
  MeasuredSpec node;
  node.place = cursor.place();
  const bool has_costs = errors.collect([&] {
    allow_keys(cursor, version,
               {"name", "op", "bytes", "runtime_seconds", "energy_joules", "page_in_energy_joules",
                "page_out_energy_joules", "inputs", "backward"},
               kNodeKeys);
  });
  if (!cursor.is_object()) return node;
  errors.collect([&] { node.name = read_name(cursor.required("name")); });
  if (!has_costs) return node;
  const auto required = [&](const char* key, auto&& work) {
    errors.collect([&] { work(cursor.required(key)); });
  };
  const auto optional = [&](const char* key, auto&& work) {
    const auto member = cursor.optional(key);
    if (member) errors.collect([&] { work(*member); });
  };
  MeasuredCosts& costs = node.costs;
  node.op = "measured";
  optional("op", [&](const JsonCursor& at) { node.op = read_name(at); });
  required("bytes", [&](const JsonCursor& at) { costs.bytes = at.integer(); });
  required("runtime_seconds", [&](const JsonCursor& at) { costs.runtime_seconds = at.number(); });
  required("energy_joules", [&](const JsonCursor& at) { costs.energy_joules = at.number(); });
  optional("page_in_energy_joules",
           [&](const JsonCursor& at) { costs.page_in_energy_joules = at.number(); });
  optional("page_out_energy_joules",
           [&](const JsonCursor& at) { costs.page_out_energy_joules = at.number(); });
  required("inputs", [&](const JsonCursor& at) { node.inputs = read_references(at, kMaxNodes); });
  optional("backward", [&](const JsonCursor& at) { node.backward = at.boolean(); });
  read_attributes(cursor, node, errors);
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
