#include "import/open_batch.hpp"

#include <algorithm>

#include "model/op.hpp"

namespace poet {
namespace {

/// Puts `batch` in the place of the first extent if the two shapes are those of the two batches.
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

bool join_layers(LayerSpec& first, const LayerSpec& second) {
  if (first.name != second.name || first.op != second.op ||
      !same_names(first.inputs, second.inputs)) {
    return false;
  }
  const OpRule* const rule = find_op(first.op);
  for (const AttributeRule& each : rule->attributes) {
    Attribute& own = first.attributes.at(each.name);
    const Attribute& other = second.attributes.at(each.name);
    if (own.height != other.height || own.width != other.width) return false;
    const bool may_open = each.kind == AttributeRule::Kind::shape && first.op != "parameter";
    if (own.list == other.list) continue;
    if (!may_open || !join_shapes(own.list, other.list, 0)) return false;
  }
  return true;
}

}  // namespace

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
