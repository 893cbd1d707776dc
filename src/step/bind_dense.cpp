// Matrix products and embeddings. Leading extents of a linear layer are rows, however many there
// are: a kernel sees a matrix.

#include "step/kernels.hpp"
#include "step/layer_node.hpp"

namespace poet {
namespace {

/// attention_qkv is a linear layer without a bias, its output in another shape.
poet_linear_spec linear_spec(const LayerNode& node) {
  const std::int32_t inputs = narrow(node.x().back());
  const std::int32_t rows = count_of(node.x()) / inputs;
  return {.rows = rows,
          .inputs = inputs,
          .outputs = count_of(node.y()) / rows,
          .has_bias = node.has_bias() ? 1 : 0};
}

}  // namespace

// Recurrent layers call it too, as their gates are matrix products.
Calls linear_gradient(const poet_linear_spec& spec, const OperandSource& dy,
                      const OperandSource& weight) {
  return {call(kKernelOf<poet_linear_grad>, spec, {dy, weight})};
}

// linear_relu has one more gradient in front of the others: of the sum before the rectifier.
Calls bind_linear(const LayerNode& node) {
  const poet_linear_spec spec = linear_spec(node);
  const bool has_relu = node.op() == "linear_relu";
  if (node.is_forward()) {
    return {call(has_relu ? kKernelOf<poet_linear_relu> : kKernelOf<poet_linear>, spec,
                 {node.in(0), node.weight(), node.bias()})};
  }
  const int step = has_relu ? node.step() - 1 : node.step();
  if (step < 0 && node.reads_bits(0)) {
    const poet_map_spec map{.count = spec.rows * spec.outputs, .slope = 0};
    return {call(kKernelOf<poet_relu_grad_of_bits>, map, node.all())};
  }
  if (step < 0 && node.reads_bytes(0)) {
    const poet_map_spec map{.count = spec.rows * spec.outputs, .slope = 0};
    return {call(kKernelOf<poet_relu_grad_of_bytes>, {map, node.copy(0)}, node.all())};
  }
  if (step < 0) return {call(kKernelOf<poet_linear_relu_grad_z>, spec, node.all())};
  if (step == 0 && node.reads_bytes(0)) {
    return {call(kKernelOf<poet_linear_gradw_of_bytes>, {spec, node.copy(0)},
                 {node.in(0), node.in(1), node.tile()})};
  }
  if (step == 0) return {call(kKernelOf<poet_linear_gradw>, spec, node.all())};
  return linear_gradient(spec, node.in(0), node.weight());
}

// The kernel reads a transposed operand where it is, so that nothing is copied before a product.
Calls bind_matmul(const LayerNode& node) {
  const bool is_transposed_a = node.flag("transpose_a");
  const Shape& a = node.x(0);
  const std::size_t rows = a.size() - 2;
  const poet_matmul_spec spec{
      .batches = product(a, 0, rows),
      .rows = narrow(is_transposed_a ? a.back() : a[rows]),
      .inner = narrow(is_transposed_a ? a[rows] : a.back()),
      .columns = narrow(node.y().back()),
      .transpose_a = node.value("transpose_a"),
      .transpose_b = node.value("transpose_b"),
  };
  if (node.is_forward()) return {call(kKernelOf<poet_matmul>, spec, node.all())};
  return {call(node.step() == 0 ? kKernelOf<poet_matmul_grad_a> : kKernelOf<poet_matmul_grad_b>,
               spec, node.all())};
}

Calls bind_embedding(const LayerNode& node) {
  const poet_embedding_spec spec{.tokens = count_of(node.x()),
                                 .vocabulary = node.value("vocabulary"),
                                 .width = node.value("width")};
  if (node.is_forward())
    return {call(kKernelOf<poet_embedding>, spec, {node.in(0), node.weight()})};
  return {call(kKernelOf<poet_embedding_gradw>, spec, node.all())};
}

}  // namespace poet
