// Names and forms of parameters are in docs/run-format.md, and where ONNX has them in
// model/parameters.cpp: out x in for a linear layer, which ONNX also stores the other way round,
// gates in another order, and all directions of a recurrence in one tensor.

#include "import/kept_weights.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// Blocks of equal size, one for each gate, in PyTorch's order.
std::vector<float> in_gate_order(const std::vector<float>& values, std::size_t first,
                                 std::size_t count, std::span<const std::size_t> gates) {
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

void KeptWeights::add_layer(std::string_view op, const std::string& layer, const OnnxNode& node,
                            int weight) {
  const bool is_transposed = node.integer("in_first", 0) != 0;
  for (const LayerTensor& each : tensors_of_op(op)) {
    const bool is_weight = each.onnx_input == kWeightInput;
    const int tensor = is_weight ? weight : node.input(static_cast<std::size_t>(each.onnx_input));
    if (tensor < 0) continue;
    sources_[layer].push_back(
        {.name = tensor_name(layer, each),
         .tensor = tensor,
         .form = is_weight && is_transposed ? OnnxForm::transposed : each.form,
         .gates = each.gates,
         .direction = static_cast<std::size_t>(node.integer("direction_index", 0))});
  }
}

void KeptWeights::add_user(const std::string& layer, const std::string& owner, int weight) {
  shared_.push_back({.layer = layer, .owner = owner, .tensor = weight});
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
  using Form = OnnxForm;
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
          numbers_of({.name = user.layer, .tensor = user.tensor, .form = OnnxForm::as_is});
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
