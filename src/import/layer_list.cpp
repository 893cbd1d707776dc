// Imported layers and their parameters. Weights are told apart by their origin in the file and not
// by name: transposed, cut or repeated, a weight is still one array of parameters. The first layer
// that uses it owns it, and later ones refer to the owner, so that shared parameters are counted
// once.

#include "import/layer_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "import/layer_names.hpp"
#include "import/lower.hpp"
#include "import/match.hpp"
#include "model/op.hpp"
#include "model/parameters.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {

Attribute number_attribute(std::int64_t value) {
  return {value, value};
}

Attribute window_attribute(std::int64_t height, std::int64_t width) {
  return {height, width};
}

double shortest_decimal(double value) {
  const std::string text = fmt::format("{}", static_cast<float>(value));
  return std::strtod(text.c_str(), nullptr);
}

Attribute real_attribute(double value) {
  return {.height = 1, .number = shortest_decimal(value)};
}

Attribute list_attribute(std::vector<std::int64_t> list) {
  return {.list = std::move(list)};
}

namespace {

/// A file may hold what no layer has: a stride of 0, a negative start.
void check_attribute(const AttributeRule& rule, const Attribute& given) {
  using Kind = AttributeRule::Kind;
  const bool is_pair = rule.kind == Kind::integer || rule.kind == Kind::window;
  if (rule.kind == Kind::number && !rule.range.contains(given.number)) {
    throw InputError(fmt::format("its {} is {}; expected {}, as float32", rule.name, given.number,
                                 rule.range.text()));
  }
  std::vector<std::int64_t> values;
  if (is_pair) values = {given.height, given.width};
  if (rule.kind == Kind::list) values = given.list;
  for (const std::int64_t value : values) {
    if (value >= rule.least) continue;
    throw InputError(
        fmt::format("its {} is {}; expected whole numbers from {}", rule.name, value, rule.least));
  }
}

}  // namespace

// The first input is always `input`, as model files call it. Indices have four bytes on a device,
// also if ONNX stores eight.
LayerList::LayerList(const OnnxGraph& graph, FormMap map_form)
    : graph_(graph), map_form_(map_form), weights_(graph) {
  spec_.version = 2;
  spec_.backward = Backward::exact;
  spec_.name = graph.name.empty() ? "network" : clean_name(graph.name);
  const OnnxLinks links(graph);
  const bool reads_any = std::any_of(graph.inputs.begin(), graph.inputs.end(),
                                     [&](int input) { return links.reader_count(input) > 0; });
  for (const int tensor : graph.inputs) {
    if (reads_any && links.reader_count(tensor) == 0) {
      note(fmt::format("nothing reads the input '{}', which is left out",
                       printable(at(tensor).name)));
      continue;
    }
    const bool is_first = spec_.inputs.empty();
    const OnnxTensor& input = graph.at(tensor);
    InputSpec read{.name = unique(is_first ? "input" : clean_name(input.name)),
                   .shape = input.shape};
    if (input.is_integer) read.element_bytes = 4;
    names_[tensor] = read.name;
    spec_.inputs.push_back(std::move(read));
  }
}

// The first free number from 1 on. Names are never given back, so the next search goes on there.
std::string LayerList::unique(const std::string& wanted) {
  const std::string base = wanted.empty() ? "layer" : wanted;
  std::string name = base;
  int& number = numbers_[base];
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", base, ++number);
  return name;
}

/// Attributes that are not given get their defaults here, as the reader of model files fills them
/// in: what follows reads all of them.
std::string LayerList::add(std::string_view op, const std::string& wanted,
                           std::vector<std::string> inputs,
                           std::initializer_list<GivenAttribute> attributes) {
  const OpRule* const rule = find_op(op);
  if (rule == nullptr) throw InternalError(fmt::format("the importer names the op '{}'", op));
  copy_learned(op, inputs);
  const bool is_view = (op == "reshape" || op == "flatten") && learned_.contains(inputs.front());
  LayerSpec layer;
  layer.name = unique(wanted);
  layer.op = op;
  for (std::string& input : inputs) layer.inputs.push_back({.name = std::move(input), .place = {}});
  for (const AttributeRule& each : rule->attributes) {
    const auto given = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const auto& entry) { return entry.first == each.name; });
    if (given == attributes.end() && each.is_required()) {
      throw InternalError(fmt::format("the importer leaves out {} of {}", each.name, op));
    }
    if (given != attributes.end()) check_attribute(each, given->second);
    layer.attributes[each.name] = given == attributes.end() ? each.usual() : given->second;
  }
  // The parts have names of their own.
  for (const char* part : {"c", "gates", "index", "mask", "scores"}) {
    taken_.insert(layer.name + "." + part);
  }
  if (op == "split") {
    const std::size_t parts = layer.attributes.at("sizes").list.size();
    for (std::size_t i = 0; i < parts; ++i) taken_.insert(fmt::format("{}.{}", layer.name, i));
  }
  std::string name = layer.name;
  spec_.layers.push_back(std::move(layer));
  if (is_view) learned_.insert(name);
  return name;
}

/// A weight is recognised by its origin: the same weight, transposed for one of its users, is still
/// one array of parameters.
std::string LayerList::add_with_weight(std::string_view op, const OnnxNode& node, int weight,
                                       const std::string& input,
                                       std::initializer_list<GivenAttribute> attributes) {
  const int origin = at(weight).origin < 0 ? weight : at(weight).origin;
  std::string name = add(op, owner_name(node, origin), {input}, attributes);
  // Language models share the table of an embedding with their last linear layer.
  const std::string kind(op == "embedding" ? "linear" : op);
  const auto [owner, is_first] =
      owners_.emplace(std::pair{kind, weight_key(graph_, node, weight)}, name);
  if (is_first) {
    train_stored(node, weight);
    weights_.add_layer(op, name, node, weight);
  } else {
    if (is_fixed(node, weight)) spec_.layers.back().trainable = false;
    spec_.layers.back().weights = InputName{.name = owner->second, .place = {}};
    weights_.add_user(name, owner->second, weight);
  }
  return name;
}

// Constants train if the file keeps all of its weights as constants.
bool LayerList::is_fixed(const OnnxNode& node, int weight) const {
  const bool has_weights = std::any_of(graph_.tensors.begin(), graph_.tensors.end(),
                                       [](const OnnxTensor& tensor) { return tensor.is_weight; });
  return node.integer("fixed", 0) != 0 || (at(weight).is_constant && has_weights);
}

// A weight may be stored beside a bias that is a constant, and the other way round.
void LayerList::train_stored(const OnnxNode& node, int weight) {
  LayerSpec& layer = spec_.layers.back();
  std::vector<InputName> trained;
  std::size_t known = 0;
  for (const LayerTensor& each : tensors_of_op(layer.op)) {
    const bool is_weight = each.onnx_input == kWeightInput;
    const int tensor = is_weight ? weight : node.input(static_cast<std::size_t>(each.onnx_input));
    if (each.group == kStatistics || tensor < 0) continue;
    ++known;
    if (!is_fixed(node, tensor)) trained.push_back({.name = std::string(each.name), .place = {}});
  }
  layer.trainable = !trained.empty();
  if (layer.trainable && trained.size() < known) layer.trained = std::move(trained);
}

// Steps of one recurrence name the first step as their owner, so that a sequence has one set of
// parameters.
std::string LayerList::add_cell(const OnnxNode& node, std::string_view op,
                                const std::string& wanted, std::vector<std::string> inputs,
                                std::initializer_list<GivenAttribute> attributes,
                                const std::string& owner) {
  std::string name = add(op, wanted, std::move(inputs), attributes);
  if (owner.empty()) {
    weights_.add_layer(op, name, node, node.input(kWeightInput));
  } else {
    spec_.layers.back().weights = InputName{.name = owner, .place = {}};
  }
  return name;
}

std::string LayerList::add_number(const std::string& wanted, double value) {
  std::string name = add("parameter", wanted, {},
                         {{"shape", list_attribute({1})}, {"value", real_attribute(value)}});
  spec_.layers.back().trainable = false;
  return name;
}

std::string& LayerList::owner_of_cell(const OnnxNode& node) {
  std::string key = std::to_string(node.integer("direction_index", 0));
  for (const std::size_t i : {1U, 2U, 3U}) {
    if (node.input(i) >= 0) key += " " + weight_key(graph_, node, node.input(i));
  }
  return owners_[{node.op, key}];
}

// Few kernels apply the gradient of a learned tensor, so that others read a product of it with 1.
void LayerList::copy_learned(std::string_view op, std::vector<std::string>& inputs) {
  static const std::set<std::string_view> ops = {"add",    "sub",     "mul",     "div",    "matmul",
                                                 "concat", "reshape", "flatten", "permute"};
  if (ops.contains(op)) return;
  for (std::string& input : inputs) {
    if (!learned_.contains(input)) continue;
    const std::string one = add_number(fmt::format("{}.one", input), 1);
    input = add("mul", fmt::format("{}.copy", input), {input, one});
  }
}

// A first state can be had again at no cost, so it need not be kept in RAM.
std::string LayerList::add_input(const std::string& wanted, Shape shape) {
  InputSpec input{
      .name = unique(wanted), .shape = std::move(shape), .repeatable = true, .zeros = true};
  std::string name = input.name;
  spec_.inputs.push_back(std::move(input));
  return name;
}

std::string LayerList::owner_name(const OnnxNode& node, int weight) const {
  const std::string layer(layer_of_weight(at(weight).name));
  return layer.empty() ? name_of_node(node) : clean_name(layer);
}

std::string LayerList::name_of_tensor(int tensor) {
  const auto found = names_.find(tensor);
  if (found != names_.end()) return found->second;
  if (tensor >= 0 && !at(tensor).is_data()) return parameter(tensor);
  throw InputError(tensor < 0
                       ? "an input that the layer needs is left out; expected all of them"
                       : fmt::format("nothing makes its input '{}'; expected an input of the graph "
                                     "or the first output of a node before it",
                                     printable(at(tensor).name)));
}

namespace {

/// What all elements of known numbers are, if it is one number that a layer can state.
std::optional<double> one_value(const OnnxTensor& tensor) {
  if (!tensor.values || tensor.values->empty()) return std::nullopt;
  const double first = tensor.values->front();
  const bool is_one = std::all_of(tensor.values->begin(), tensor.values->end(),
                                  [first](double each) { return each == first; });
  constexpr double kMost = 1e30;
  return is_one && std::fabs(first) <= kMost ? std::optional(first) : std::nullopt;
}

}  // namespace

/// Layers have no constants: known numbers are a parameter that does not train.
std::string LayerList::parameter(int tensor) {
  const OnnxTensor& weight = at(tensor);
  const auto form = graph_.forms.find(tensor);
  if (form != graph_.forms.end() && (weight.is_moved || form->second.op == "Concat")) {
    map_form_(*this, form->second);
    return names_.at(tensor);
  }
  const int origin = weight.origin < 0 ? tensor : weight.origin;
  const Shape whole = shape(origin).empty() ? Shape{1} : shape(origin);
  auto [known, is_new] = parameters_.emplace(origin, "");
  if (is_new) {
    const bool is_stated = origin == tensor && weight.is_constant;
    const std::optional<double> value = is_stated ? one_value(weight) : std::nullopt;
    if (is_stated && !value) {
      note(
          fmt::format("'{}' has known numbers, which the model file does not have: 'run' and "
                      "'export' need them by --parameters",
                      clean_name(weight.name)));
    }
    known->second = add("parameter", clean_name(at(origin).name), {},
                        {{"shape", list_attribute(whole)},
                         {"value", value ? real_attribute(*value) : Attribute{}}});
    spec_.layers.back().trainable = !weight.is_constant;
    if (!weight.is_constant) learned_.insert(known->second);
    weights_.add_layer("parameter", known->second, {}, origin);
  }
  std::string name = known->second;
  const Shape wanted = weight.shape.empty() ? Shape{1} : weight.shape;
  if (wanted == whole) return name;
  const std::int64_t count = element_count(wanted);
  const std::int64_t rest = element_count(whole) / whole[0];
  if (count < element_count(whole) && count % rest == 0) {
    // A part along the first extent, such as the first positions of a table.
    const std::int64_t size = count / rest;
    const std::int64_t start = std::clamp<std::int64_t>(weight.part_start, 0, whole[0] - size);
    name = add("slice", name + ".part", {name},
               {{"start", number_attribute(start)},
                {"size", number_attribute(size)},
                {"axis", number_attribute(0)}});
    Shape part = whole;
    part[0] = size;
    if (part != wanted) {
      name = add("reshape", name + ".shape", {name}, {{"shape", list_attribute(wanted)}});
    }
  } else if (count == element_count(whole)) {
    name = add("reshape", name + ".shape", {name}, {{"shape", list_attribute(wanted)}});
  }
  // Else it is repeated, which every op that may read it does by itself.
  names_[tensor] = name;
  return name;
}

void LayerList::note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) {
    notes_.push_back(std::move(text));
  }
}

void LayerList::differs(const std::string& text) {
  std::string& known = spec_.layers.back().differs;
  known += (known.empty() ? "" : "; ") + text;
}

const Shape* LayerList::wanted_shape(const std::string& layer) const {
  const auto found = made_.find(layer);
  return found == made_.end() || found->second < 0 ? nullptr : &shape(found->second);
}

ModelSpec LayerList::take(std::vector<std::string>& notes) {
  notes.insert(notes.end(), notes_.begin(), notes_.end());
  return std::move(spec_);
}

}  // namespace poet
