// Names and forms of parameters are in docs/run-format.md: out x in for a linear layer, which
// ONNX also stores the other way round, the gates of an LSTM as i, f, g, o, which ONNX orders i, o,
// f, c, and the gates of a GRU as r, z, n, which ONNX orders z, r, h. Each tensor of a recurrence
// has all of its directions, one after the other.

#include "import/kept_weights.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// Where the gates of PyTorch are in ONNX.
std::vector<std::size_t> gates_of(const OnnxNode& node) {
  if (node.op == ".lstm") return {0, 2, 3, 1};
  return {1, 0, 2};
}

bool is_flat(std::string_view op) {
  return op == "batch_norm1d" || op == "batch_norm2d" || op == "group_norm";
}

/// Blocks of equal size, one for each gate, in PyTorch's order.
std::vector<float> in_gate_order(const std::vector<float>& values, std::size_t first,
                                 std::size_t count, const std::vector<std::size_t>& gates) {
  const std::size_t block = count / gates.size();
  std::vector<float> ordered;
  ordered.reserve(count);
  for (const std::size_t gate : gates) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(first + gate * block);
    ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(block));
  }
  return ordered;
}

}  // namespace

void KeptWeights::add(const std::string& layer, const char* name, int tensor, Source::Form form) {
  if (tensor < 0) return;
  const std::string full = *name == '\0' ? layer : fmt::format("{}.{}", layer, name);
  sources_[layer].push_back({.name = full, .tensor = tensor, .form = form});
}

void KeptWeights::add_layer(std::string_view op, const std::string& layer, const OnnxNode& node,
                            int weight) {
  const bool in_first = node.integer("in_first", 0) != 0;
  add(layer, "weight", weight,
      in_first      ? Source::Form::transposed
      : is_flat(op) ? Source::Form::flat
                    : Source::Form::as_is);
  if (op == "embedding") return;
  add(layer, "bias", node.input(2), op == "layer_norm" ? Source::Form::as_is : Source::Form::flat);
  if (!op.starts_with("batch_norm")) return;
  add(layer, "running_mean", node.input(3), Source::Form::flat);
  add(layer, "running_var", node.input(4), Source::Form::flat);
}

void KeptWeights::add_user(const std::string& layer, const std::string& owner, int weight) {
  shared_.push_back({.layer = layer, .owner = owner, .tensor = weight});
}

void KeptWeights::add_cell(const std::string& layer, const OnnxNode& node) {
  add(layer, "weight_ih", node.input(1), Source::Form::gates);
  add(layer, "weight_hh", node.input(2), Source::Form::gates);
  add(layer, "bias_ih", node.input(3), Source::Form::input_bias);
  add(layer, "bias_hh", node.input(3), Source::Form::hidden_bias);
  for (Source& source : sources_[layer]) {
    source.gates = gates_of(node);
    source.direction = static_cast<std::size_t>(node.integer("direction_index", 0));
  }
}

void KeptWeights::add_parameter(const std::string& layer, int tensor) {
  add(layer, "", tensor, Source::Form::as_is);
}

std::vector<float> KeptWeights::numbers_of(const Source& source) const {
  const OnnxTensor& tensor = graph_.at(source.tensor);
  if (tensor.numbers) return *tensor.numbers;
  if (tensor.values) return {tensor.values->begin(), tensor.values->end()};
  throw InputError(fmt::format(
      "'{}': the file has no numbers of the weight '{}', or has them in a form that is not known; "
      "expected an export with weights, which torch.onnx.export() writes unless export_params is "
      "False",
      printable(source.name), printable(tensor.name)));
}

KeptArray KeptWeights::array_of(const Source& source) const {
  using Form = Source::Form;
  KeptArray array{.name = source.name, .values = numbers_of(source)};
  const Shape& shape = graph_.at(source.tensor).shape;
  std::size_t count = array.values.size();
  if (!source.gates.empty()) count /= static_cast<std::size_t>(shape.at(0));
  const std::size_t first = source.direction * count;
  switch (source.form) {
    case Form::as_is:
      array.shape = shape.empty() ? Shape{1} : shape;
      break;
    case Form::flat:
      array.shape = {static_cast<std::int64_t>(count)};
      break;
    case Form::transposed:
      array.values = transposed_matrix(array.values, shape.at(0), shape.at(1));
      array.shape = {shape[1], shape[0]};
      break;
    case Form::gates:
      array.values = in_gate_order(array.values, first, count, source.gates);
      array.shape = {shape.at(1), shape.at(2)};  // the first extent counts directions
      break;
    case Form::input_bias:
    case Form::hidden_bias:
      array.values =
          in_gate_order(array.values, source.form == Form::input_bias ? first : first + count / 2,
                        count / 2, source.gates);
      array.shape = {static_cast<std::int64_t>(count / 2)};
      break;
  }
  return array;
}

std::vector<KeptArray> KeptWeights::arrays(const ModelSpec& spec) const {
  std::vector<KeptArray> kept;
  InputErrors errors;
  for (const LayerSpec& layer : spec.layers) {
    const auto found = sources_.find(layer.name);
    if (found == sources_.end() || layer.weights) continue;
    for (const Source& source : found->second) {
      errors.collect([&] { kept.push_back(array_of(source)); });
    }
  }
  errors.throw_if_any();
  for (const Shared& user : shared_) {
    const auto owner = sources_.find(user.owner);
    if (owner == sources_.end()) continue;
    const auto is_same = [&] {
      std::vector<float> a = numbers_of(owner->second.front());
      std::vector<float> b =
          numbers_of({.name = user.layer, .tensor = user.tensor, .form = Source::Form::as_is});
      // One of the two may read it transposed.
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      return a == b;
    };
    errors.collect([&] {
      if (is_same()) return;
      throw InputError(
          fmt::format("'{}' and '{}' read parts of one weight, which as layers share "
                      "all of it; expected weights of their own",
                      printable(user.layer), printable(user.owner)));
    });
  }
  errors.throw_if_any();
  return kept;
}

}  // namespace poet
