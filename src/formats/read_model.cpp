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
  cursor.fail(
      fmt::format("found the unknown op '{}'{}", printable(name), did_you_mean(name, known)));
}

LayerSpec read_layer(const JsonCursor& cursor) {
  LayerSpec layer;
  layer.place = cursor.place();
  const OpRule& rule = read_op(cursor.required("op"));
  std::vector<std::string_view> keys = {"name", "op", "inputs"};
  for (const AttributeRule& attribute : rule.attributes) keys.push_back(attribute.name);
  cursor.allow_only(keys);
  layer.name = read_name(cursor.required("name"));
  layer.op = rule.name;
  const JsonCursor inputs = cursor.required("inputs");
  layer.inputs = read_inputs(inputs, kMaxNodes);
  if (layer.inputs.size() != rule.input_count) {
    inputs.fail_expecting(fmt::format("{} for the op {}", rule.input_count, rule.name));
  }
  for (const AttributeRule& attribute : rule.attributes) {
    const auto member = cursor.optional(attribute.name);
    const std::int64_t otherwise = attribute.otherwise.value_or(0);
    const bool use_default = !member && attribute.otherwise;
    layer.attributes[attribute.name] =
        use_default ? Attribute{otherwise, otherwise}
                    : read_attribute(cursor.required(attribute.name), attribute);
  }
  return layer;
}

MeasuredSpec read_node(const JsonCursor& cursor) {
  cursor.allow_only({"name", "op", "bytes", "runtime_seconds", "energy_joules",
                     "page_in_energy_joules", "page_out_energy_joules", "inputs", "backward"});
  MeasuredSpec node;
  node.place = cursor.place();
  node.name = read_name(cursor.required("name"));
  const auto op = cursor.optional("op");
  node.op = op ? read_name(*op) : "measured";
  node.costs.bytes = cursor.required("bytes").integer();
  node.costs.runtime_seconds = cursor.required("runtime_seconds").number();
  node.costs.energy_joules = cursor.required("energy_joules").number();
  const auto page_in = cursor.optional("page_in_energy_joules");
  const auto page_out = cursor.optional("page_out_energy_joules");
  if (page_in) node.costs.page_in_energy_joules = page_in->number();
  if (page_out) node.costs.page_out_energy_joules = page_out->number();
  node.inputs = read_inputs(cursor.required("inputs"), kMaxNodes);
  const auto backward = cursor.optional("backward");
  node.backward = backward && backward->boolean();
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

void read_graph(const JsonCursor& root, ModelSpec& spec) {
  root.allow_only({"format", "version", "name", "backward", "nodes"});
  spec.backward = read_backward(root, {Backward::explicit_nodes});
  const JsonCursor nodes = root.required("nodes");
  for (const JsonCursor& node : nodes.elements(kMaxNodes)) spec.nodes.push_back(read_node(node));
  if (spec.nodes.empty()) nodes.fail_expecting("at least one node");
}

void read_layers(const JsonCursor& root, ModelSpec& spec) {
  root.allow_only({"format", "version", "name", "backward", "input", "layers"});
  spec.backward = read_backward(root, {Backward::poet_chain, Backward::none});
  read_input(root.required("input"), spec);
  const JsonCursor layers = root.required("layers");
  for (const JsonCursor& layer : layers.elements(kMaxNodes)) {
    spec.layers.push_back(read_layer(layer));
  }
  if (spec.layers.empty()) layers.fail_expecting("at least one layer");
}

}  // namespace

ModelSpec read_model(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source, kMaxValues);
  const JsonCursor root(document, source);
  expect_format(root, "poet-model", 1);
  ModelSpec spec;
  spec.place = root.place();
  spec.name = read_name(root.required("name"));
  if (root.optional("nodes") && root.optional("layers")) {
    root.fail("found both 'layers' and 'nodes', expected one of them");
  }
  if (root.optional("nodes")) {
    read_graph(root, spec);
  } else {
    read_layers(root, spec);
  }
  return spec;
}

}  // namespace poet
