// Model files: what surrounds the layers or the nodes. Version 1 means what it always meant, POET's
// backward pass included, and what version 2 has added is refused in it; so a file gives the same
// graph in every build that reads it.
//
// Errors are collected and reading goes on, but a mistake hides what it makes doubtful: an unknown
// key may be a misspelt one, so that missing keys of the same object are not reported beside it.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "formats/json/json_text.hpp"
#include "formats/model_values.hpp"
#include "formats/read_inputs.hpp"
#include "model/fields.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxModelInputs = 1000;
// Ten million empty nodes once took a gigabyte before their number was found to be too large.
constexpr std::size_t kMaxValues = 40 * kMaxNodes;  // in the file; a node takes about ten

constexpr std::string_view kLayersKeys[] = {"inputs", "update", "optimizer", "dtype"};
constexpr std::string_view kStateKey = "state";
constexpr std::string_view kNodesKeys[] = {"parameters", kStateKey};
constexpr std::string_view kInputKeys[] = {"dtype", "repeatable", "zeros", "copy"};

InputSpec read_input(const JsonCursor& cursor, std::string name, int version) {
  allow_keys(cursor, version, {"shape"}, kInputKeys);
  InputSpec input;
  input.place = cursor.place();
  input.name = std::move(name);
  const JsonCursor shape = cursor.required("shape");
  const std::vector<JsonCursor> extents = shape.elements(kMaxRank);
  if (extents.empty()) shape.fail_expecting("at least one extent");
  input.has_batch = extents[0].is_string() && extents[0].string() == "N";
  if (input.has_batch) input.shape.push_back(1);
  for (std::size_t i = input.has_batch ? 1 : 0; i < extents.size(); ++i) {
    if (extents[i].is_string()) {
      extents[i].fail_expecting("a whole number (only the first extent may be \"N\", the batch)");
    }
    input.shape.push_back(extents[i].integer(1));
  }
  if (const auto type = cursor.optional("dtype")) input.element_bytes = read_input_type(*type);
  if (const auto flag = cursor.optional("repeatable")) input.repeatable = flag->boolean();
  if (const auto flag = cursor.optional("zeros")) input.zeros = flag->boolean();
  if (const auto rule = cursor.optional("copy")) input.copy = read_enum<CopyRule>(*rule);
  return input;
}

/// `input` is the first and usual one; `inputs` has further ones, or all of them, by name.
void read_model_inputs(const JsonCursor& root, ModelSpec& spec, InputErrors& errors) {
  const auto read = [&](const JsonCursor& at, std::string name) {
    InputSpec input{.name = name};
    spec.has_inputs = errors.collect([&] {
      input = read_input(at, std::move(name), spec.version);
    }) && spec.has_inputs;
    spec.inputs.push_back(std::move(input));
  };
  const auto others = root.optional("inputs");
  if (!others || root.optional("input")) read(root.required("input"), "input");
  if (!others) return;
  for (const auto& entry : others->members(kMaxModelInputs)) {
    const auto& name = entry.first;
    const auto& member = entry.second;
    errors.collect([&] { check_name(member, name); });
    read(member, name);
  }
  if (spec.inputs.empty()) others->fail_expecting("at least one input");
}

/// `known` are the kinds that the form and the version of the file allow, the usual one first.
Backward read_backward(const JsonCursor& root, std::initializer_list<Backward> known) {
  const auto cursor = root.optional("backward");
  if (!cursor) return *known.begin();
  const std::optional<Backward> value = value_of<Backward>(cursor->string());
  if (value == Backward::exact && known.size() == 2) {
    cursor->fail("found \"exact\", expected \"version\": 2 in this file for it");
  }
  if (!value || std::find(known.begin(), known.end(), *value) == known.end()) {
    cursor->fail_expecting(known.size() == 1   ? "\"explicit\", as each node says for itself"
                           : known.size() == 2 ? "\"poet-chain\" or \"none\""
                                               : "\"exact\", \"poet-chain\" or \"none\"");
  }
  return *value;
}

// Bytes of the parameters, or of the state, that nodes name.
void read_parameters(const JsonCursor& cursor, bool are_state, ModelSpec& spec,
                     InputErrors& errors) {
  for (const auto& entry : cursor.members(kMaxNodes)) {
    const auto& name = entry.first;
    const auto& bytes = entry.second;
    errors.collect([&] {
      check_name(bytes, name);
      Parameters parameters;
      parameters.name = name;
      parameters.is_state = are_state;
      parameters.bytes = bytes.integer();
      spec.parameters.push_back(std::move(parameters));
    });
  }
}

/// The form with `nodes`: a graph as it is, whose nodes say themselves which of them belong to the
/// backward pass.
void read_graph(const JsonCursor& root, ModelSpec& spec, InputErrors& errors) {
  allow_keys(root, spec.version, {"format", "version", "name", "backward", "nodes"}, kNodesKeys);
  errors.collect([&] { spec.backward = read_backward(root, {Backward::explicit_nodes}); });
  for (const std::string_view key : kNodesKeys) {
    const auto parameters = root.optional(key);
    if (!parameters) continue;
    errors.collect([&] { read_parameters(*parameters, key == kStateKey, spec, errors); });
  }
  read_nodes(root.required("nodes"), spec, errors);
}

// Each key collects its own errors, so that a wrong optimizer does not hide a wrong layer.
void read_layer_model(const JsonCursor& root, ModelSpec& spec, InputErrors& errors) {
  allow_keys(root, spec.version, {"format", "version", "name", "backward", "input", "layers"},
             kLayersKeys);
  errors.collect([&] {
    spec.backward =
        spec.version == 1
            ? read_backward(root, {Backward::poet_chain, Backward::none})
            : read_backward(root, {Backward::exact, Backward::poet_chain, Backward::none});
  });
  const auto optional = [&](const char* key, auto&& work) {
    const auto member = root.optional(key);
    if (member) errors.collect([&] { work(*member); });
  };
  optional("update", [&](const JsonCursor& at) { spec.update = read_enum<Update>(at); });
  optional("optimizer", [&](const JsonCursor& at) { spec.optimizer = read_enum<Optimizer>(at); });
  optional("dtype", [&](const JsonCursor& at) { spec.element_bytes = read_element_bytes(at); });
  spec.has_inputs =
      errors.collect([&] { read_model_inputs(root, spec, errors); }) && spec.has_inputs;
  read_layers(root.required("layers"), spec, errors);
}

}  // namespace

ModelSpec read_model(std::string_view text, const std::string& source, InputErrors& errors) {
  const nlohmann::json document = parse_json(text, source, kMaxValues);
  const JsonCursor root(document, source);
  ModelSpec spec;
  spec.version = static_cast<int>(expect_format(root, "poet-model", 1, 2));
  spec.place = root.place();
  errors.collect([&] { spec.name = read_name(root.required("name")); });
  errors.collect([&] {
    const bool is_graph = root.optional("nodes").has_value();
    if (is_graph && root.optional("layers")) {
      root.fail("found both 'layers' and 'nodes', expected one of them");
    }
    is_graph ? read_graph(root, spec, errors) : read_layer_model(root, spec, errors);
  });
  // The layers name it, even if reading it failed.
  if (spec.nodes.empty() && spec.inputs.empty()) {
    spec.has_inputs = false;
    spec.inputs.push_back({.name = "input"});
  }
  return spec;
}

}  // namespace poet
