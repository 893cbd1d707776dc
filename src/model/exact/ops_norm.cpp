#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "model/exact/windows.hpp"
#include "poet/error.hpp"

// Mean and variance are not stored: two numbers a channel would each be a node. The backward pass
// computes them again from X, which costs little beside the rest. Gamma and beta are small, so one
// node makes the gradients of all three and reads X once.
namespace poet::exact {
namespace {

struct NormFlop {
  std::int64_t forward, backward;  ///< an element
};

/// gamma and beta (the bias) of this shape; `sample`: how many elements share their statistics, as
/// far as they are converted at a time, if X is a copy; one node makes the gradients of X, gamma
/// and beta.
ExactLayer normalisation(const Shape& in, const Shape& scale, NormFlop per_element,
                         std::int64_t sample, bool has_bias = true) {
  const std::int64_t count = element_count(in);
  return {.nodes = {{.suffix = "",
                     .shape = in,
                     .flop = checked_product({per_element.forward, count}),
                     .reads = {ref::x()},
                     .over_copied = {ref::x()},
                     .parameters = {0}}},
          .parameters = {{"", std::vector<Shape>(has_bias ? 2 : 1, scale)}},
          .steps = {{.shape = in,
                     .flop = checked_product({per_element.backward, count}),
                     .reads = {ref::values(ref::x(), sample), ref::dy()},
                     .over = {ref::dy()},
                     .parameters = {0},
                     .also_updates = 0}}};
}

/// The statistics of an earlier training: the layer is a scale and a shift of each channel.
ExactLayer frozen_norm(const Shape& in) {
  const std::int64_t count = element_count(in);
  return {.nodes = {{.suffix = "",
                     .shape = in,
                     .flop = checked_product({2, count}),
                     .reads = {ref::x()},
                     .over = {ref::x()},
                     .parameters = {0}}},
          .parameters = {{"", {{in[1]}, {in[1]}}}},
          .steps = {{.shape = in,
                     .flop = count,
                     .reads = {ref::dy()},
                     .over = {ref::dy()},
                     .parameters = {0}}}};
}

ExactLayer batch_norm(const LayerCall& call) {
  const Shape& in = call.input();
  if (call.value("frozen") != 0) return frozen_norm(in);
  return normalisation(in, {in[1]}, {7, 15}, element_count(in) / in[1]);
}

}  // namespace

// Y = X;  W = C (gamma), C (beta);  flop = 7 |X|;  gX with gW: X, dY, W; 15 |X|, over dY.
// With `frozen`: flop = 2 |X|, over X;  gX: dY, W; |X|, over dY;  no gW
ExactLayer batch_norm2d(const LayerCall& call) {
  expect_rank(call.input(), 4, kImageLayout);
  return batch_norm(call);
}

// As batch_norm2d on N, C or N, C, L.
ExactLayer batch_norm1d(const LayerCall& call) {
  if (call.input().size() != 2) expect_rank(call.input(), 3, "N, C, L, or N, C");
  return batch_norm(call);
}

// Y = X, over the last `dims` extents;  W = these extents, twice or without bias once;  flop = 8
// |X|; gX with gW: X, dY, W; 18 |X|, over dY
ExactLayer layer_norm(const LayerCall& call) {
  const Shape& in = call.input();
  const auto dims = static_cast<std::size_t>(call.value("dims"));
  if (dims > in.size()) {
    throw InputError(
        fmt::format("the input's shape is {}, expected at least {} extents", shape_text(in), dims));
  }
  const Shape scale(in.end() - static_cast<std::ptrdiff_t>(dims), in.end());
  return normalisation(in, scale, {8, 18}, element_count(scale), call.value("bias") != 0);
}

// Y = X;  W = C, twice;  flop and gradients as layer_norm
ExactLayer group_norm(const LayerCall& call) {
  const Shape& in = call.input();
  const std::int64_t groups = call.value("groups");
  if (in.size() < 2 || in[1] % groups != 0) {
    throw InputError(
        fmt::format("the input's shape is {}, expected channels (the second extent) "
                    "that {} groups divide",
                    shape_text(in), groups));
  }
  return normalisation(in, {in[1]}, {8, 18}, element_count(in) / checked_product({in[0], groups}));
}

}  // namespace poet::exact
