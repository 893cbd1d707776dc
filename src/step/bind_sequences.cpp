// Attention and recurrent layers. What a layer's steps are is in src/model/exact/ops_attention.cpp
// and ops_recurrent.cpp; the kernels have their operands in the same order. A recurrent layer is
// one step in time: sequences are many layers with shared parameters.

#include <array>

#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {
namespace {

/// An operand from a later element on.
/// Queries, keys and values of one tensor are told apart by where they begin.
OperandSource later(OperandSource source, std::int64_t elements) {
  source.offset += elements;
  return source;
}

poet_recurrent_spec recurrent_spec(const LayerNode& node) {
  return {.rows = narrow(node.x(0)[0]),
          .inputs = narrow(node.x(0)[1]),
          .hidden = narrow(node.x(1)[1]),
          .has_bias = node.has_bias() ? 1 : 0};
}

/// The matrix product of a group of parameters: 0 of the input, 1 of the state.
poet_linear_spec product_spec(const poet_recurrent_spec& cell, int group, std::int32_t gates) {
  return {.rows = cell.rows,
          .inputs = group == 0 ? cell.inputs : cell.hidden,
          .outputs = gates * cell.hidden,
          .has_bias = cell.has_bias};
}

std::vector<OperandSource> gate_operands(const LayerNode& node) {
  return {node.in(0), node.in(1), node.weight(0), node.bias(0), node.weight(1), node.bias(1)};
}

}  // namespace

/// Both forms of attention have the same kernels. What differs is where queries, keys and values
/// lie, which the runtime turns into strides.
Calls bind_attention(const LayerNode& node) {
  const Shape& queries = node.x(0);
  const bool has_batch = queries.size() == 3;
  const std::size_t row_axis = queries.size() - 2;
  poet_attention_spec spec{.batch = has_batch ? narrow(queries[0]) : 1,
                           .heads = node.value("heads"),
                           .queries = narrow(queries[row_axis]),
                           .keys = narrow(node.x(1)[row_axis]),
                           .head_dim = narrow(queries.back()) / node.value("heads"),
                           .causal = node.value("causal")};
  poet_attention_layout(&spec);
  if (node.is_forward()) {
    return {call(
        node.output() == 0 ? kKernelOf<poet_attention_scores> : kKernelOf<poet_attention_context>,
        spec, node.all())};
  }
  if (node.step() == 0 && node.reads_bytes(0)) {
    return {call(kKernelOf<poet_attention_grad_v_of_bytes>, {spec, node.copy(0)},
                 {node.in(0), node.in(1), node.tile()})};
  }
  if (node.step() == 1 && node.reads_bytes(2)) {
    return {call(kKernelOf<poet_attention_grad_scores_of_bytes>, {spec, node.copy(2)},
                 {node.in(0), node.in(1), node.in(2), node.tile()})};
  }
  constexpr std::array kSteps{kKernelOf<poet_attention_grad_v>,
                              kKernelOf<poet_attention_grad_scores>,
                              kKernelOf<poet_attention_grad_q>, kKernelOf<poet_attention_grad_k>};
  return {call(kSteps[node.step()], spec, node.all())};
}

// attention_scores and attention_context read queries, keys and values from one tensor.
Calls bind_attention_layers(const LayerNode& node) {
  const std::int32_t sequence = node.value("sequence");
  const std::int32_t heads = node.value("heads");
  poet_attention_spec spec{.batch = 1,
                           .heads = heads,
                           .queries = sequence,
                           .keys = sequence,
                           .head_dim = node.value("head_dim"),
                           .causal = 0};
  poet_attention_qkv_layout(&spec);
  const std::int64_t width = std::int64_t{heads} * spec.head_dim;
  if (node.op() == "attention_scores") {
    return {call(kKernelOf<poet_attention_scores>, spec, {node.in(0), later(node.in(0), width)})};
  }
  if (node.is_forward()) {
    return {
        call(kKernelOf<poet_attention_context>, spec, {node.in(0), later(node.in(1), 2 * width)})};
  }
  if (node.step() == 0) {
    return {call(kKernelOf<poet_attention_grad_scores>, spec,
                 {node.in(0), later(node.in(1), 2 * width), node.in(2)})};
  }
  return {call(kKernelOf<poet_attention_grad_qkv>, spec, node.all())};
}

Calls bind_lstm(const LayerNode& node) {
  const poet_recurrent_spec cell = recurrent_spec(node);
  if (node.is_forward()) {
    if (node.output() == 0) return {call(kKernelOf<poet_lstm_gates>, cell, gate_operands(node))};
    return {call(node.output() == 1 ? kKernelOf<poet_lstm_c> : kKernelOf<poet_lstm_h>, cell,
                 node.all())};
  }
  switch (node.step()) {
    case 0:
      return {call(kKernelOf<poet_lstm_grad_cell>, cell, node.all())};
    case 1:
      return {call(kKernelOf<poet_lstm_grad_c>, cell, node.all())};
    case 2:
      return {call(kKernelOf<poet_lstm_grad_gates>, cell, node.all())};
    case 3:
    case 4:
      return {
          call(kKernelOf<poet_linear_gradw>, product_spec(cell, node.step() - 3, 4), node.all())};
    default: {
      const int group = node.step() - 5;
      return linear_gradient(product_spec(cell, group, 4), node.in(0),
                             node.weight(static_cast<std::size_t>(group)));
    }
  }
}

/// The reset gate comes before the product with the state or after it. Either way the gradients of
/// the gates and of the state go through the weight of that product; after it, the first of them
/// computes it again, with its bias.
Calls bind_gru(const LayerNode& node) {
  const poet_recurrent_spec cell = recurrent_spec(node);
  const bool is_after = node.flag("reset_after");
  if (node.is_forward()) {
    if (node.output() == 1) return {call(kKernelOf<poet_gru_h>, cell, node.all())};
    return {call(is_after ? kKernelOf<poet_gru_after_gates> : kKernelOf<poet_gru_gates>, cell,
                 gate_operands(node))};
  }
  std::vector<OperandSource> with_hidden = node.all();
  with_hidden.push_back(node.weight(1));
  switch (node.step()) {
    case 0:
      if (!is_after) {
        return {call(kKernelOf<poet_gru_grad_gates>, cell, std::move(with_hidden))};
      }
      with_hidden.push_back(node.bias(1));
      return {call(kKernelOf<poet_gru_after_grad_gates>, cell, std::move(with_hidden))};
    case 1:
      return {call(kKernelOf<poet_linear_gradw>, product_spec(cell, 0, 3), node.all())};
    case 2:
      if (node.is_of_bias_alone()) {
        if (!is_after) return bind_bias_gradient(node);
        return {call(kKernelOf<poet_gru_after_gradb_hidden>, cell, node.all())};
      }
      return {
          call(is_after ? kKernelOf<poet_gru_after_gradw_hidden> : kKernelOf<poet_gru_gradw_hidden>,
               cell, node.all())};
    case 3:
      return linear_gradient(product_spec(cell, 0, 3), node.in(0), node.weight(0));
    default:
      return {call(is_after ? kKernelOf<poet_gru_after_grad_h> : kKernelOf<poet_gru_grad_h>, cell,
                   std::move(with_hidden))};
  }
}

}  // namespace poet
