// Layers of which some tensors train and others do not, such as BitFit's (Ben Zaken et al., 2022),
// which trains biases alone. A group of an op, a weight and its bias, becomes two groups: what
// trains keeps the group's place, so that the steps of the backward pass go on to mean it, and what
// does not comes after all others. So everything that follows (gradients, moments, flash, files)
// sees parameters that train or do not, and nothing in between.
//
// The gradient of a bias is a sum over dY: its node does not read the layer's input, which need not
// be kept (Cai et al., 2020, TinyTL). A batch norm is the exception, as its gradient takes the
// batch into the running statistics.

#include "model/exact/train_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/parameters.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using Of = GradientStep::Of;

/// The op's tensors in a group, as far as the layer has them.
std::vector<std::string_view> names_of(std::string_view op, const ExactLayer& layer, int group) {
  std::vector<std::string_view> names;
  for (const LayerTensor& each : tensors_of_op(op)) {
    const bool is_here = each.group == group && !each.name.empty();
    if (is_here && names.size() < layer.parameters[group].shapes.size()) names.push_back(each.name);
  }
  return names;
}

void expect_names(const ExactLayer& layer, std::string_view op,
                  const std::vector<InputName>& trained) {
  std::vector<std::string_view> known;
  for (int g = 0; g < static_cast<int>(layer.parameters.size()); ++g) {
    if (!trains(layer, g)) continue;
    for (const std::string_view name : names_of(op, layer, g)) known.push_back(name);
  }
  for (auto name = trained.begin(); name != trained.end(); ++name) {
    if (std::find(known.begin(), known.end(), name->name) == known.end()) {
      throw InputError(name->place,
                       fmt::format("found '{}'; expected {}", printable(name->name),
                                   known.empty() ? fmt::format("true or false for this {}", op)
                                                 : fmt::format("{}", fmt::join(known, " or "))));
    }
    const auto is_same = [&](const InputName& other) { return other.name == name->name; };
    if (std::find_if(trained.begin(), name, is_same) == name) continue;
    throw InputError(name->place, fmt::format("found '{}' again; expected it once", name->name));
  }
}

const Shape& shape_of(const ExactLayer& layer, TensorRef gradient) {
  return gradient.kind == TensorRef::Kind::step ? layer.steps[gradient.index].shape
                                                : layer.nodes[gradient.index].shape;
}

/// The bias alone, or the weight without it. What its gradient is a sum of is read last.
void narrow_gradient(const ExactLayer& layer, bool is_bias, GradientStep& step) {
  const std::int64_t sums = element_count(shape_of(layer, step.reads.back()));
  step.flop = is_bias ? sums : step.flop - sums;
  if (!is_bias) return;
  std::erase_if(step.reads, [](TensorRef read) { return read.kind == TensorRef::Kind::input; });
}

/// Makes the frozen tensor of a group of two, a weight and a bias, a group of its own.
void split(ExactLayer& layer, int group, bool trains_bias, bool follows_batches,
           const std::vector<std::string_view>& names) {
  const int trained = trains_bias ? 1 : 0;
  const int frozen = 1 - trained;
  const int added = static_cast<int>(layer.parameters.size());
  const auto part = [&](int tensor) {
    return ParameterGroup{.suffix = std::string(names[tensor]),
                          .shapes = {layer.parameters[group].shapes[tensor]},
                          .part = TensorPlace{group, tensor},
                          .trains = tensor == trained};
  };
  layer.parameters.push_back(part(frozen));
  layer.parameters[group] = part(trained);
  const auto reads = [&](std::vector<int>& read, bool is_weight_alone) {
    const auto found = std::find(read.begin(), read.end(), group);
    if (found == read.end()) return;
    if (!is_weight_alone) {
      read.push_back(added);
    } else if (trains_bias) {
      *found = added;
    }
  };
  for (ForwardNode& node : layer.nodes) reads(node.parameters, false);
  bool is_apart = false;
  for (GradientStep& step : layer.steps) {
    reads(step.parameters, step.of != Of::inner);
    if (step.of == Of::parameters && step.index == group) narrow_gradient(layer, trains_bias, step);
    if (step.also_updates != group || !trains_bias || follows_batches) continue;
    step.also_updates.reset();
    is_apart = true;
  }
  if (!is_apart) return;
  const std::int64_t sums = element_count(layer.nodes.front().shape);
  layer.steps.push_back(
      {.of = Of::parameters, .index = group, .shape = {}, .flop = sums, .reads = {ref::dy()}});
}

}  // namespace

void train_parts(ExactLayer& layer, std::string_view op, const std::vector<InputName>& trained) {
  expect_names(layer, op, trained);
  const auto is_trained = [&](std::string_view name) {
    return std::any_of(trained.begin(), trained.end(),
                       [&](const InputName& each) { return each.name == name; });
  };
  const std::span<const LayerTensor> tensors = tensors_of_op(op);
  const bool follows_batches = std::any_of(
      tensors.begin(), tensors.end(), [](const auto& each) { return each.group == kStatistics; });
  const int groups = static_cast<int>(layer.parameters.size());
  for (int g = 0; g < groups; ++g) {
    const std::vector<std::string_view> names = names_of(op, layer, g);
    const auto count = std::count_if(names.begin(), names.end(), is_trained);
    if (count == 0) layer.parameters[g].trains = false;
    if (count == 0 || count == std::ssize(names)) continue;
    split(layer, g, is_trained(names[1]), follows_batches, names);
  }
}

}  // namespace poet
