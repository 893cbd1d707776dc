#include <algorithm>

#include "model/exact/exact_ops.hpp"

// A layer that no other op describes, in the file's own figures, so that every network can be
// written. What its gradient reads decides how long tensors live, which is why a file has to say
// what is saved; FLOPs alone would not do. It can be solved for, but not run: nobody knows its
// kernel.
namespace poet::exact {

// Y = `shape`;  W = `parameters` numbers;  flop = N `flops`;  gX of each input: what `saves` names,
// dY, W; N `grad_flops`;  gW: the same node as the first gX, or one of its own with
// N `grad_parameter_flops`.  FLOPs are stated for a batch of one sample.
ExactLayer custom(const LayerCall& call) {
  const auto for_batch = [&](std::string_view name) {
    return checked_product({call.value(name), call.batch_size});
  };
  const std::vector<std::int64_t>& saves = call.list("saves");
  const auto saves_word = [&](std::int64_t word) {
    return std::find(saves.begin(), saves.end(), word) != saves.end();
  };
  ExactLayer layer;
  ForwardNode out{
      .suffix = "", .shape = call.shape("shape"), .flop = for_batch("flops"), .reads = {}};
  std::vector<TensorRef> reads;
  for (int i = 0; i < static_cast<int>(call.inputs.size()); ++i) {
    out.reads.push_back(ref::x(i));
    if (saves_word(0)) reads.push_back(ref::x(i));
  }
  if (saves_word(1)) reads.push_back(ref::y());
  reads.push_back(ref::dy());
  const bool has_parameters = call.value("parameters") > 0;
  if (has_parameters) {
    layer.parameters = {{"", {{call.value("parameters")}}}};
    out.parameters = {0};
  }
  const bool has_own_node = call.value("grad_parameter_flops") >= 0;
  if (has_parameters && has_own_node) {
    layer.steps.push_back({.of = GradientStep::Of::parameters,
                           .shape = {},
                           .flop = for_batch("grad_parameter_flops"),
                           .reads = reads});
  }
  for (int i = 0; i < static_cast<int>(call.inputs.size()); ++i) {
    GradientStep step{.index = i,
                      .shape = call.inputs[i],
                      .flop = for_batch(call.value("grad_flops") < 0 ? "flops" : "grad_flops"),
                      .reads = reads,
                      .parameters = out.parameters};
    if (has_parameters && !has_own_node && i == 0) step.also_updates = 0;
    layer.steps.push_back(std::move(step));
  }
  layer.is_loss = element_count(out.shape) == 1;
  layer.nodes = {std::move(out)};
  return layer;
}

}  // namespace poet::exact
