// Nodes with measured costs, as users write them and as `run --profile` and `fit` do. Nothing is
// computed from an op here: bytes, times and energies are what the file states, so no platform is
// needed. Keys are a table with the version that brought each, so that a new key is one line.

#include <fmt/format.h>

#include "formats/model_values.hpp"
#include "poet/error.hpp"

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

/// Another node by its name or, as in a schedule file, by its index.
InputName read_node_reference(const JsonCursor& at) {
  if (at.is_string()) return read_reference(at);
  return {.name = {}, .place = at.place(), .index = static_cast<int>(at.integer(0, kMaxNodes))};
}

std::vector<InputName> read_node_references(const JsonCursor& at) {
  std::vector<InputName> names;
  for (const JsonCursor& each : at.elements(kMaxNodes)) names.push_back(read_node_reference(each));
  return names;
}

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
    {"inputs", 1, true, [](auto& at, auto& node) { node.inputs = read_node_references(at); }},
    {"backward", 1, false, [](auto& at, auto& node) { node.backward = at.boolean(); }},
    {"in_place", 2, false, [](auto& at, auto& node) { node.in_place = read_node_reference(at); }},
    {"in_place_choices", 2, false,
     [](auto& at, auto& node) { node.in_place_choices = read_node_references(at); }},
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
    {"storage_bytes", 2, false,
     [](auto& at, auto& node) { node.costs.storage_bytes = at.integer(); }},
};

std::vector<std::string_view> keys_of_version(int version) {
  std::vector<std::string_view> keys;
  for (const NodeKey& key : kNodeKeys) {
    if (key.version == version) keys.push_back(key.name);
  }
  return keys;
}

/// Gives each index the name of its node, which is an earlier one.
void name_node(InputName& input, int version, const std::vector<MeasuredSpec>& earlier) {
  if (!input.index) return;
  if (version == 1) throw InputError(input.place, "found a number, expected a name");
  const auto index = static_cast<std::size_t>(*input.index);
  if (index >= earlier.size()) {
    throw InputError(input.place, fmt::format("found node {}, expected an earlier one than {}",
                                              index, earlier.size()));
  }
  input.name = earlier[index].name;
  input.index.reset();
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
    MeasuredSpec read = read_node(node, spec.version, errors);
    const auto name = [&](InputName& input) {
      errors.collect([&] { name_node(input, spec.version, spec.nodes); });
    };
    for (InputName& input : read.inputs) name(input);
    for (InputName& input : read.in_place_choices) name(input);
    if (read.in_place) name(*read.in_place);
    spec.nodes.push_back(std::move(read));
  }
  if (spec.nodes.empty()) nodes.fail_expecting("at least one node");
}

}  // namespace poet
