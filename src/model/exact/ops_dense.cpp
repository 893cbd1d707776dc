// Matrix products. A multiplication and an addition are two FLOPs. Both gradients of a product are
// products of the same size, so a backward pass takes twice what the forward pass does; only a bias
// differs, as its gradient is a sum that the gradient of the weight carries along.

#include <algorithm>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

namespace poet::exact {
namespace {

/// What a kernel converts of each row at a time, if X is a copy.
constexpr std::int64_t kColumnsInTile = 16;

struct Products {
  std::int64_t rows = 1;
  std::int64_t flop = 0;  ///< of the matrix product
  std::int64_t with_bias = 0;
  Shape out_shape;
  ParameterGroup parameters;
  TensorRef copied_x;  ///< X as the gradient of the weight reads it
};

// Leading extents are rows, so that a sequence needs no reshape around its linear layers.
Products products(const LayerCall& call) {
  const Shape& in = call.input();
  if (in.size() < 2) {
    throw InputError(
        fmt::format("the input's shape is {}, expected at least 2 extents (rows, "
                    "features)",
                    shape_text(in)));
  }
  Products result;
  const std::int64_t out = call.value("out_features");
  result.rows = element_count(in) / in.back();
  result.flop = checked_product({2, result.rows, in.back(), out});
  result.copied_x =
      ref::values(ref::x(), checked_product({result.rows, std::min(kColumnsInTile, in.back())}));
  result.parameters.shapes = {{out, in.back()}};
  result.with_bias = result.flop;
  if (call.value("bias") != 0) {
    result.parameters.shapes.push_back({out});
    result.with_bias = checked_sum({result.flop, checked_product({out, result.rows})});
  }
  result.out_shape = in;
  result.out_shape.back() = out;
  return result;
}

/// The two last extents of a matrix operand, and the product of those before.
struct Matrices {
  std::int64_t batches, rows, columns;
};

Matrices matrices(const Shape& shape, bool transposed) {
  if (shape.size() < 2) {
    throw InputError(
        fmt::format("an input's shape is {}, expected at least 2 extents", shape_text(shape)));
  }
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  const std::int64_t batches = element_count(shape) / checked_product({rows, columns});
  return transposed ? Matrices{batches, columns, rows} : Matrices{batches, rows, columns};
}

}  // namespace

// Y = rows, out; rows r may be several extents;  W = out, in and a bias out;
// flop = F + r out for the bias, F = 2 r in out;  gX: dY, W; F;  gW: X, dY; F + r out for the bias
ExactLayer linear(const LayerCall& call) {
  Products product = products(call);
  return {
      .nodes = {{.suffix = "",
                 .shape = std::move(product.out_shape),
                 .flop = product.with_bias,
                 .reads = {ref::x()},
                 .parameters = {0}}},
      .parameters = {std::move(product.parameters)},
      .steps = {
          {.of = GradientStep::Of::parameters,
           .shape = {},
           .flop = product.with_bias,
           .reads = {product.copied_x, ref::dy()}},
          {.shape = call.input(), .flop = product.flop, .reads = {ref::dy()}, .parameters = {0}}}};
}

// linear, then relu in place;  flop = linear's + |Y|;  gZ: Y, dY; |Y|, over dY; gX: gZ, W;  gW: X,
// gZ
ExactLayer linear_relu(const LayerCall& call) {
  ExactLayer layer = linear(call);
  ForwardNode& out = layer.nodes.front();
  const std::int64_t count = element_count(out.shape);
  out.flop = checked_sum({out.flop, count});
  layer.steps[0].reads.back() = ref::step(0);
  layer.steps[1].reads = {ref::step(0)};
  layer.steps.insert(layer.steps.begin(), {.of = GradientStep::Of::inner,
                                           .shape = out.shape,
                                           .flop = count,
                                           .reads = {ref::sign(ref::y()), ref::dy()},
                                           .over = {ref::dy()},
                                           .name = "z"});
  return layer;
}

// A = b batches of m x k, B = b batches of k x n;  Y = m x n;  flop = F = 2 b m k n;
// gA: B, dY; F;  gB: A, dY; F
ExactLayer matmul(const LayerCall& call) {
  const Matrices a = matrices(call.inputs[0], call.value("transpose_a") != 0);
  const Matrices b = matrices(call.inputs[1], call.value("transpose_b") != 0);
  if (a.columns != b.rows || a.batches != b.batches) {
    throw InputError(fmt::format(
        "the inputs' shapes are {} and {}, expected as many columns of the first as rows of the "
        "second, and equal extents before",
        shape_text(call.inputs[0]), shape_text(call.inputs[1])));
  }
  Shape out = call.inputs[0];
  out[out.size() - 2] = a.rows;
  out.back() = b.columns;
  const std::int64_t flop = checked_product({2, a.batches, a.rows, a.columns, b.columns});
  return {
      .nodes =
          {{.suffix = "", .shape = std::move(out), .flop = flop, .reads = {ref::x(0), ref::x(1)}}},
      .steps = {
          {.index = 0, .shape = call.inputs[0], .flop = flop, .reads = {ref::x(1), ref::dy()}},
          {.index = 1, .shape = call.inputs[1], .flop = flop, .reads = {ref::x(0), ref::dy()}}}};
}

// X = t indices;  Y = X, width;  W = vocabulary, width;  flop = |Y|;  gW: X, dY; |Y|.  No gX
ExactLayer embedding(const LayerCall& call) {
  const std::int64_t width = call.value("width");
  Shape out = call.input();
  out.push_back(width);
  const std::int64_t count = element_count(out);
  return {.nodes = {{.suffix = "",
                     .shape = std::move(out),
                     .flop = count,
                     .reads = {ref::x()},
                     .parameters = {0}}},
          .parameters = {{"", {{call.value("vocabulary"), width}}}},
          .steps = {{.of = GradientStep::Of::parameters,
                     .shape = {},
                     .flop = count,
                     .reads = {ref::x(), ref::dy()}}}};
}

// A learned tensor as an operand. Y = shape. It lies with the parameters and makes no node of the
// graph. Its gradient is the gX of its readers.
ExactLayer parameter(const LayerCall& call) {
  const Shape& shape = call.list("shape");
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    throw InputError("the shape has the batch \"N\", expected extents that do not depend on it");
  }
  return {.nodes = {{.suffix = "", .shape = shape, .reads = {}}},
          .parameters = {{"", {shape}}},
          .is_parameter = true};
}

}  // namespace poet::exact
