// Layers by the table of ops (src/model/op_table.cpp): an op that is added there is read, checked
// and named in errors with no change here. All mistakes of a file are reported at once, since a
// file with three slips used to take three runs to mend.
//
// Attributes are complete after reading: defaults are filled in, so that nothing behind this file
// asks whether one was given. What version 1 accepts is in the table too, as its files have to mean
// what they meant. Whether layers fit each other is not asked here (src/model/build_model.cpp).

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/model_values.hpp"
#include "model/exact/windows.hpp"
#include "model/fields.hpp"
#include "model/op.hpp"

namespace poet {
namespace {

using Kind = AttributeRule::Kind;

constexpr std::size_t kMaxExtents = 8;

Attribute read_list(const JsonCursor& cursor, std::int64_t least, std::size_t limit) {
  Attribute result;
  const std::vector<JsonCursor> elements = cursor.elements(limit);
  if (elements.empty()) cursor.fail_expecting("at least one entry");
  for (const JsonCursor& element : elements) result.list.push_back(element.integer(least));
  return result;
}

// "N" becomes 0.
Attribute read_extents(const JsonCursor& cursor) {
  Attribute result;
  const std::vector<JsonCursor> extents = cursor.elements(kMaxExtents);
  if (extents.empty()) cursor.fail_expecting("at least one extent");
  for (const JsonCursor& extent : extents) {
    const bool is_batch = extent.is_string() && extent.string() == "N";
    result.list.push_back(is_batch ? 0 : extent.integer(1));
  }
  return result;
}

std::int64_t read_word(const JsonCursor& cursor, const AttributeRule& rule) {
  const std::string word = cursor.is_string() ? cursor.string() : "";
  const auto found = std::find(rule.words.begin(), rule.words.end(), word);
  if (found == rule.words.end()) {
    cursor.fail_expecting(fmt::format("\"{}\"", fmt::join(rule.words, "\" or \"")));
  }
  return found - rule.words.begin();
}

Attribute read_words(const JsonCursor& cursor, const AttributeRule& rule) {
  Attribute result;
  for (const JsonCursor& word : cursor.elements(rule.words.size())) {
    result.list.push_back(read_word(word, rule));
  }
  return result;
}

/// One number stands for both, as most windows are squares.
Attribute read_window(const JsonCursor& cursor, const AttributeRule& rule) {
  if (!cursor.is_array()) {
    const std::int64_t value = cursor.integer(rule.least);
    return {value, value};
  }
  const std::vector<JsonCursor> pair = cursor.elements(kMaxExtents);
  if (pair.size() != 2) cursor.fail_expecting("[height, width] or one number for both");
  return {pair[0].integer(rule.least), pair[1].integer(rule.least)};
}

Attribute read_number(const JsonCursor& cursor, const AttributeRange& range) {
  if (!cursor.is_number()) cursor.fail_expecting(range.text());
  constexpr double kMost = std::numeric_limits<double>::max();
  const double value = cursor.number(-kMost, kMost);
  if (!range.contains(value)) {
    cursor.fail(fmt::format("found {}, expected {}, as float32", value, range.text()));
  }
  return {.height = 1, .number = value};
}

// One function for each kind of value and none for each attribute: there are nine kinds.
Attribute read_attribute(const JsonCursor& cursor, const AttributeRule& rule, Kind kind) {
  switch (kind) {
    case Kind::flag:
      return {cursor.boolean() ? 1 : 0, 0};
    case Kind::integer: {
      const std::int64_t value = cursor.integer(rule.least);
      return {value, value};
    }
    case Kind::padding:
      if (cursor.is_string()) {
        if (cursor.string() != "same") {
          cursor.fail_expecting("\"same\", [height, width] or one number for both");
        }
        return {exact::kSamePadding, exact::kSamePadding};
      }
      return read_window(cursor, rule);
    case Kind::window:
      return read_window(cursor, rule);
    case Kind::list:
      return read_list(cursor, rule.least, kMaxInputs);
    case Kind::shape:
      return read_extents(cursor);
    case Kind::choice:
      return {read_word(cursor, rule), 0};
    case Kind::choices:
      return read_words(cursor, rule);
    case Kind::number:
      return read_number(cursor, rule.range);
  }
  return {};
}

// Some attributes had fewer forms or no default in version 1, and such files keep to its rules.
Attribute read_attribute_or_default(const JsonCursor& layer, const AttributeRule& rule,
                                    int version) {
  const Kind kind = version == 1 ? rule.kind_of_version_1.value_or(rule.kind) : rule.kind;
  const bool is_required = rule.is_required() || (version == 1 && rule.is_required_in_version_1);
  if (is_required) return read_attribute(layer.required(rule.name), rule, kind);
  const auto member = layer.optional(rule.name);
  return member ? read_attribute(*member, rule, kind) : rule.usual();
}

// An op of version 2 in a file of version 1 is known, so the message names the version and not the
// list.
const OpRule& read_op(const JsonCursor& cursor, int version) {
  const std::string name = cursor.string();
  const OpRule* const rule = find_op(name);
  if (rule != nullptr && version == 1 && rule->infer == nullptr) {
    cursor.fail(fmt::format("found the op '{}', expected \"version\": 2 in this file for it",
                            printable(name)));
  }
  if (rule != nullptr) return *rule;
  std::vector<std::string_view> known;
  for (const OpRule& op : op_rules()) {
    if (version > 1 || op.infer != nullptr) known.push_back(op.name);
  }
  cursor.fail(fmt::format("found the unknown op '{}', expected one of {} ({}){}", printable(name),
                          fmt::join(known, ", "),
                          version > 1 ? "custom stands for any other"
                                      : "\"version\": 2 has more, and custom for any other",
                          did_you_mean(name, known)));
}

std::string count_text(const InputCount& count) {
  if (count.least == count.most) return fmt::format("{}", count.least);
  return fmt::format("from {} to {}", count.least, count.most);
}

// Names are kept with their places: whether they mean anything is known once all layers are.
void read_inputs(const JsonCursor& cursor, const OpRule& rule, LayerSpec& layer) {
  const InputCount& count = rule.input_count;
  const auto inputs = cursor.optional("inputs");
  if (!inputs && count.least == 0) return;
  const JsonCursor list = cursor.required("inputs");
  layer.inputs = read_references(list, kMaxNodes);
  if (layer.inputs.size() >= count.least && layer.inputs.size() <= count.most) return;
  list.fail_expecting(fmt::format("{} for the op {}", count_text(count), rule.name));
}

/// What every layer may state in version 2, whichever op it has; a loss has a target besides.
struct LayerKey {
  std::string_view name;
  void (*read)(const JsonCursor& at, const OpRule& rule, LayerSpec& layer);
};

constexpr LayerKey kLayerKeys[] = {
    {"trainable",
     [](auto& at, auto&, auto& layer) {
       if (at.is_boolean()) {
         layer.trainable = at.boolean();
       } else {
         if (!at.is_array()) at.fail_expecting("true, false or a list of the tensors that train");
         layer.trained = read_references(at, kMaxInputs);
         if (layer.trained->empty()) at.fail_expecting("false, or at least one tensor that trains");
       }
     }},
    {"weights", [](auto& at, auto&, auto& layer) { layer.weights = read_reference(at); }},
    {"recompute", [](auto& at, auto&, auto& layer) { layer.recompute = at.boolean(); }},
    {"page", [](auto& at, auto&, auto& layer) { layer.page = at.boolean(); }},
    {"bank", [](auto& at, auto&, auto& layer) { layer.bank = read_name(at); }},
    {"in_place",
     [](auto& at, auto&, auto& layer) {
       if (at.is_string()) {
         layer.in_place_over = read_reference(at);
       } else {
         if (!at.is_boolean()) at.fail_expecting("true, false or the name of an input");
         layer.in_place = at.boolean();
       }
     }},
    {"workspace_bytes", [](auto& at, auto&, auto& layer) { layer.workspace_bytes = at.integer(); }},
    {"differs", [](auto& at, auto&, auto& layer) { layer.differs = read_name(at); }},
    {"dtype", [](auto& at, auto&, auto& layer) { layer.element_bytes = read_element_bytes(at); }},
    {"frozen_weights",
     [](auto& at, auto&, auto& layer) { layer.frozen_weights = read_enum<FrozenWeights>(at); }},
    {"frozen_parameters",
     [](auto& at, auto&, auto& layer) {
       layer.frozen_parameters = read_enum<FrozenParameters>(at);
     }},
    {"copy", [](auto& at, auto&, auto& layer) { layer.copy = read_enum<CopyRule>(at); }},
    {"target",
     [](auto& at, auto& rule, auto& layer) {
       if (!rule.has_target) {
         at.fail(fmt::format("found a target for the op {}, which takes none", rule.name));
       }
       layer.target = read_reference(at);
     }},
};

/// Reads a layer as far as it can be read. Without its op nobody can tell which attributes it
/// should have, and an unknown key may be the misspelt name of one that is missing.
LayerSpec read_layer(const JsonCursor& cursor, int version, InputErrors& errors) {
  LayerSpec layer;
  layer.place = cursor.place();
  const OpRule* rule = nullptr;
  layer.whole = errors.collect([&] {
    rule = &read_op(cursor.required("op"), version);
    std::vector<std::string_view> version_1 = {"name", "op", "inputs"};
    std::vector<std::string_view> version_2;
    for (const AttributeRule& attribute : rule->attributes) {
      (attribute.since == 1 ? version_1 : version_2).push_back(attribute.name);
    }
    for (const LayerKey& key : kLayerKeys) version_2.push_back(key.name);
    allow_keys(cursor, version, version_1, version_2);
  });
  const bool has_attributes = layer.whole;
  const auto read = [&](auto&& work) { layer.whole = errors.collect(work) && layer.whole; };
  if (cursor.is_object()) read([&] { layer.name = read_name(cursor.required("name")); });
  if (rule == nullptr) return layer;
  layer.op = rule->name;
  read([&] { read_inputs(cursor, *rule, layer); });
  if (!has_attributes) return layer;
  for (const AttributeRule& attribute : rule->attributes) {
    read([&] {
      layer.attributes[attribute.name] = read_attribute_or_default(cursor, attribute, version);
    });
  }
  for (const LayerKey& key : kLayerKeys) {
    read([&] {
      if (const auto member = cursor.optional(key.name)) key.read(*member, *rule, layer);
    });
  }
  return layer;
}

}  // namespace

void read_layers(const JsonCursor& layers, ModelSpec& spec, InputErrors& errors) {
  for (const JsonCursor& layer : layers.elements(kMaxNodes)) {
    spec.layers.push_back(read_layer(layer, spec.version, errors));
  }
  if (spec.layers.empty()) layers.fail_expecting("at least one layer");
}

}  // namespace poet
