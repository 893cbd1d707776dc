#include "formats/read_inputs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_text.hpp"
#include "model/op.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxValues = 40 * kMaxNodes;  // in the file; a node takes about ten

std::string read_name(const JsonCursor& cursor) {
  std::string name = cursor.string();
  const bool has_control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (name.empty() || has_control) {
    cursor.fail_expecting("a name of at least one character and no control characters");
  }
  return name;
}

std::vector<InputName> read_inputs(const JsonCursor& cursor, std::size_t limit) {
  std::vector<InputName> inputs;
  for (const JsonCursor& input : cursor.elements(limit)) {
    inputs.push_back({input.string(), input.place()});
  }
  return inputs;
}

Attribute read_attribute(const JsonCursor& cursor, const AttributeRule& rule) {
  if (rule.kind == AttributeRule::Kind::flag) return {cursor.boolean() ? 1 : 0, 0};
  if (rule.kind == AttributeRule::Kind::integer || !cursor.is_array()) {
    const std::int64_t value = cursor.integer(rule.least);
    return {value, value};
  }
  const std::vector<JsonCursor> pair = cursor.elements(kMaxRank);
  if (pair.size() != 2) cursor.fail_expecting("[height, width] or one number for both");
  return {pair[0].integer(rule.least), pair[1].integer(rule.least)};
}

const OpRule& read_op(const JsonCursor& cursor) {
  const std::string name = cursor.string();
  if (const OpRule* rule = find_op(name)) return *rule;
  std::vector<std::string_view> known;
  for (const OpRule& rule : op_rules()) known.push_back(rule.name);
  cursor.fail(fmt::format("found the unknown op '{}'{} (--list-ops shows all)", printable(name),
                          did_you_mean(name, known)));
}

Attribute read_attribute_or_default(const JsonCursor& layer, const AttributeRule& rule) {
  if (!rule.otherwise) return read_attribute(layer.required(rule.name), rule);
  const auto member = layer.optional(rule.name);
  return member ? read_attribute(*member, rule) : Attribute{*rule.otherwise, *rule.otherwise};
}

/// Reads a layer as far as it can be read. Without its op there is no telling which attributes it
/// should have, and an unknown key may be the misspelt name of one that is missing.
LayerSpec read_layer(const JsonCursor& cursor, InputErrors& errors) {
  LayerSpec layer;
  layer.place = cursor.place();
  const OpRule* rule = nullptr;
  layer.whole = errors.collect([&] {
    rule = &read_op(cursor.required("op"));
    std::vector<std::string_view> keys = {"name", "op", "inputs"};
    for (const AttributeRule& attribute : rule->attributes) keys.push_back(attribute.name);
    cursor.allow_only(keys);
  });
  const bool has_attributes = layer.whole;
  const auto read = [&](auto&& work) { layer.whole = errors.collect(work) && layer.whole; };
  if (cursor.is_object()) read([&] { layer.name = read_name(cursor.required("name")); });
  if (rule == nullptr) return layer;
  layer.op = rule->name;
  read([&] {
    const JsonCursor inputs = cursor.required("inputs");
    layer.inputs = read_inputs(inputs, kMaxNodes);
    if (layer.inputs.size() != rule->input_count) {
      inputs.fail_expecting(fmt::format("{} for the op {}", rule->input_count, rule->name));
    }
  });
  if (!has_attributes) return layer;
  for (const AttributeRule& attribute : rule->attributes) {
    read([&] { layer.attributes[attribute.name] = read_attribute_or_default(cursor, attribute); });
  }
  return layer;
}

/// Reads a node as far as it can be read; likewise.
MeasuredSpec read_node(const JsonCursor& cursor, InputErrors& errors) {
  MeasuredSpec node;
  node.place = cursor.place();
  const bool has_costs = errors.collect([&] {
    cursor.allow_only({"name", "op", "bytes", "runtime_seconds", "energy_joules",
                       "page_in_energy_joules", "page_out_energy_joules", "inputs", "backward"});
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
  required("inputs", [&](const JsonCursor& at) { node.inputs = read_inputs(at, kMaxNodes); });
  optional("backward", [&](const JsonCursor& at) { node.backward = at.boolean(); });
  return node;
}

void read_input(const JsonCursor& cursor, ModelSpec& spec) {
  cursor.allow_only({"shape"});
  const JsonCursor shape = cursor.required("shape");
  const std::vector<JsonCursor> extents = shape.elements(kMaxRank);
  if (extents.empty()) shape.fail_expecting("at least one extent");
  spec.input_batch = extents[0].is_string() && extents[0].string() == "N";
  if (spec.input_batch) spec.input_shape.push_back(1);
  for (std::size_t i = spec.input_batch ? 1 : 0; i < extents.size(); ++i) {
    if (extents[i].is_string()) {
      extents[i].fail_expecting("a whole number (only the first extent may be \"N\", the batch)");
    }
    spec.input_shape.push_back(extents[i].integer(1));
  }
}

Backward read_backward(const JsonCursor& root, std::initializer_list<Backward> known) {
  const auto cursor = root.optional("backward");
  if (!cursor) return *known.begin();
  const std::optional<Backward> value = value_of<Backward>(cursor->string());
  if (!value || std::find(known.begin(), known.end(), *value) == known.end()) {
    cursor->fail_expecting(known.size() == 1 ? "\"explicit\", as each node says for itself"
                                             : "\"poet-chain\" or \"none\"");
  }
  return *value;
}

void read_graph(const JsonCursor& root, ModelSpec& spec, InputErrors& errors) {
  root.allow_only({"format", "version", "name", "backward", "nodes"});
  errors.collect([&] { spec.backward = read_backward(root, {Backward::explicit_nodes}); });
  const JsonCursor nodes = root.required("nodes");
  for (const JsonCursor& node : nodes.elements(kMaxNodes)) {
    spec.nodes.push_back(read_node(node, errors));
  }
  if (spec.nodes.empty()) nodes.fail_expecting("at least one node");
}

void read_layers(const JsonCursor& root, ModelSpec& spec, InputErrors& errors) {
  root.allow_only({"format", "version", "name", "backward", "input", "layers"});
  errors.collect([&] {
    spec.backward = read_backward(root, {Backward::poet_chain, Backward::none});
  });
  spec.has_input = errors.collect([&] { read_input(root.required("input"), spec); });
  const JsonCursor layers = root.required("layers");
  for (const JsonCursor& layer : layers.elements(kMaxNodes)) {
    spec.layers.push_back(read_layer(layer, errors));
  }
  if (spec.layers.empty()) layers.fail_expecting("at least one layer");
}

}  // namespace

ModelSpec read_model(std::string_view text, const std::string& source, InputErrors& errors) {
  const nlohmann::json document = parse_json(text, source, kMaxValues);
  const JsonCursor root(document, source);
  expect_format(root, "poet-model", 1);
  ModelSpec spec;
  spec.place = root.place();
  errors.collect([&] { spec.name = read_name(root.required("name")); });
  errors.collect([&] {
    const bool is_graph = root.optional("nodes").has_value();
    if (is_graph && root.optional("layers")) {
      root.fail("found both 'layers' and 'nodes', expected one of them");
    }
    is_graph ? read_graph(root, spec, errors) : read_layers(root, spec, errors);
  });
  return spec;
}

}  // namespace poet
