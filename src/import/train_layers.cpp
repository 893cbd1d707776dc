// What is decided about all layers together: which of them train, and which extents are the batch.
// Both need the whole list: "the last three" are counted over layers with parameters, and that an
// extent of a `reshape` is the batch shows only in a second reading of the file.

#include "import/train_layers.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "import/layer_list.hpp"
#include "model/exact/layer_options.hpp"
#include "model/op.hpp"
#include "model/parameters.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

bool is_frozen_norm(const LayerSpec& layer) {
  const auto frozen = layer.attributes.find("frozen");
  return frozen != layer.attributes.end() && frozen->second.height != 0;
}

bool has_parameters(const LayerSpec& layer) {
  if (layer.op == "custom") return layer.attributes.at("parameters").height > 0;
  return !tensors_of_op(layer.op).empty();
}

/// The layer's tensors; none of a learned tensor, which has the layer's name.
std::vector<std::string_view> tensors_of(const LayerSpec& layer) {
  const auto bias = layer.attributes.find("bias");
  const bool has_bias = bias == layer.attributes.end() || bias->second.height != 0;
  std::vector<std::string_view> names;
  for (const LayerTensor& each : tensors_of_op(layer.op)) {
    if (each.group == kStatistics || each.name.empty()) continue;
    if (has_bias || !each.name.starts_with("bias")) names.push_back(each.name);
  }
  return names;
}

/// Lets the tensors train whose names match, of those that do. Whether there are any.
bool train_tensors_like(const std::string& pattern, LayerSpec& layer) {
  const std::vector<std::string_view> known = tensors_of(layer);
  std::vector<InputName> chosen;
  for (const std::string_view name : known) {
    const bool may_train =
        !layer.trained || std::ranges::count(*layer.trained, name, &InputName::name) > 0;
    const std::string full = fmt::format("{}.{}", layer.name, name);
    if (!may_train || ::fnmatch(pattern.c_str(), full.c_str(), 0) != 0) continue;
    chosen.push_back({.name = std::string(name), .place = {}});
  }
  const bool has_any = !chosen.empty();
  if (has_any && chosen.size() < known.size()) layer.trained = std::move(chosen);
  return has_any;
}

/// The number of `last:3`.
std::size_t count_of(const std::string& text) {
  std::size_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && stop == text.data() + text.size() && count > 0) return count;
  throw InputError(
      fmt::format("found 'last:{}'; expected a number from 1 after last:", printable(text)));
}

/// Puts `batch` in the place of the first extent if the two shapes differ by the batch size alone.
bool join_shapes(Shape& first, const Shape& second, std::int64_t batch) {
  if (first == second) return true;
  if (first.empty() || first.size() != second.size()) return false;
  const bool is_batch = first[0] == kTryBatches[0] && second[0] == kTryBatches[1] &&
                        std::equal(first.begin() + 1, first.end(), second.begin() + 1);
  if (is_batch) first[0] = batch;
  return is_batch;
}

bool same_names(const std::vector<InputName>& first, const std::vector<InputName>& second) {
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const InputName& a, const InputName& b) { return a.name == b.name; });
}

/// Only shapes may hold the batch. Any other attribute that differs means that the network computes
/// with its batch size.
bool join_layers(LayerSpec& first, const LayerSpec& second) {
  if (first.name != second.name || first.op != second.op ||
      !same_names(first.inputs, second.inputs)) {
    return false;
  }
  const OpRule* const rule = find_op(first.op);
  for (const AttributeRule& each : rule->attributes) {
    Attribute& own = first.attributes.at(each.name);
    const Attribute& other = second.attributes.at(each.name);
    if (own.height != other.height || own.width != other.width || own.number != other.number) {
      return false;
    }
    const bool may_open = each.kind == AttributeRule::Kind::shape && first.op != "parameter";
    if (own.list == other.list) continue;
    if (!may_open || !join_shapes(own.list, other.list, 0)) return false;
  }
  return true;
}

}  // namespace

void choose_trainable(ModelSpec& spec, const std::string& wanted) {
  if (wanted.empty() || wanted == "all") return;
  std::vector<LayerSpec*> own;
  for (LayerSpec& layer : spec.layers) {
    const bool may_train = layer.trainable && !layer.weights && !is_frozen_norm(layer);
    if (has_parameters(layer) && may_train) own.push_back(&layer);
  }
  std::set<std::string> chosen;
  constexpr std::string_view kLast = "last:";
  if (wanted.starts_with(kLast)) {
    const std::size_t count = std::min(count_of(wanted.substr(kLast.size())), own.size());
    for (auto layer = own.end() - static_cast<std::ptrdiff_t>(count); layer != own.end(); ++layer) {
      chosen.insert((*layer)->name);
    }
  } else {
    for (const LayerSpec* layer : own) {
      if (::fnmatch(wanted.c_str(), layer->name.c_str(), 0) == 0) chosen.insert(layer->name);
    }
    const bool is_of_tensors = chosen.empty();  // such as `*.bias`
    for (LayerSpec* layer : own) {
      if (is_of_tensors && train_tensors_like(wanted, *layer)) chosen.insert(layer->name);
    }
  }
  if (chosen.empty()) {
    std::vector<std::string_view> names;
    names.reserve(own.size());
    for (const LayerSpec* layer : own) names.emplace_back(layer->name);
    throw InputError(
        fmt::format("no layer with parameters, and no parameter, has a name like '{}'; expected "
                    "all, last:N or a pattern such as '{}*' or '*.bias'{}",
                    printable(wanted), names.empty() ? "fc" : printable(names.back()),
                    did_you_mean(wanted, names)));
  }
  for (LayerSpec& layer : spec.layers) {
    const std::string& owner = layer.weights ? layer.weights->name : layer.name;
    if (!has_parameters(layer) || chosen.contains(owner)) continue;
    layer.trained.reset();
    // A norm whose parameters stay as they are keeps its statistics as well.
    const auto frozen = layer.attributes.find("frozen");
    if (frozen != layer.attributes.end()) {
      frozen->second = number_attribute(1);
    } else {
      layer.trainable = false;
    }
  }
}

void keep_frozen_as_int8(ModelSpec& spec) {
  std::set<std::string_view> shared;
  for (const LayerSpec& layer : spec.layers) {
    if (layer.weights) shared.insert(layer.weights->name);
  }
  bool has_any = false;
  for (LayerSpec& layer : spec.layers) {
    if (layer.trainable || layer.weights || shared.contains(layer.name)) continue;
    if (!may_have_int8_weights(layer.op)) continue;
    layer.frozen_weights = FrozenWeights::int8;
    has_any = true;
  }
  if (has_any) return;
  throw InputError(
      "--frozen-weights: no convolution or dense layer is frozen; expected --trainable beside it, "
      "such as --trainable last:1");
}

// A layer with nothing trained below it has no gradient to pass on, so that it reads its parameters
// once: a copy would save nothing.
void copy_frozen(ModelSpec& spec) {
  std::set<std::string> learned;  // layers that train, and those above them
  bool has_any = false;
  for (LayerSpec& layer : spec.layers) {
    const bool passes =
        std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](const InputName& input) {
          const std::string& name = input.name;  // perhaps of a part, such as `split.0`
          return learned.contains(name) || learned.contains(name.substr(0, name.rfind('.')));
        });
    const bool has_own = has_parameters(layer);
    const bool is_frozen = !layer.trainable || is_frozen_norm(layer);
    if (passes || (has_own && !is_frozen)) learned.insert(layer.name);
    const bool is_wanted = passes && has_own && is_frozen && !layer.weights;
    if (!is_wanted || layer.frozen_weights != FrozenWeights::float32) continue;
    layer.frozen_parameters = FrozenParameters::copied;
    has_any = true;
  }
  if (has_any) return;
  throw InputError(
      "--frozen-parameters: no layer with a layer that trains below it is frozen, and others read "
      "their parameters once; expected --trainable with a pattern for the layers below");
}

// Layers are compared by place: both readings are of one file, and only arithmetic on shapes can
// differ.
std::optional<ModelSpec> with_open_batch(ModelSpec first, const ModelSpec& second) {
  if (first.layers.size() != second.layers.size() || first.inputs.size() != second.inputs.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    InputSpec& input = first.inputs[i];
    const Shape before = input.shape;
    if (!join_shapes(input.shape, second.inputs[i].shape, 1)) return std::nullopt;
    input.has_batch = input.shape != before;
  }
  for (std::size_t i = 0; i < first.layers.size(); ++i) {
    if (!join_layers(first.layers[i], second.layers[i])) return std::nullopt;
  }
  return first;
}

}  // namespace poet
