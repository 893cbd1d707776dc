#include <algorithm>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// A loss is one number. Its gradient starts the backward pass: it reads the loss itself in the
// place of a dY. The target is an input like others, or lies outside the arena if the layer names
// none. The gradient may lie over X, whose last reader it usually is.
namespace poet::exact {
namespace {

ExactLayer loss(const LayerCall& call, std::int64_t flop, std::int64_t gradient_flop) {
  std::vector<TensorRef> reads = {ref::x()};
  if (call.inputs.size() > 1) reads.push_back(ref::x(1));
  std::vector<TensorRef> gradient_reads = reads;
  gradient_reads.push_back(ref::dy());
  return {.nodes = {{.suffix = "", .shape = {1}, .flop = flop, .reads = std::move(reads)}},
          .steps = {{.shape = call.input(),
                     .flop = gradient_flop,
                     .reads = std::move(gradient_reads),
                     .over = {ref::x()}}},
          .is_loss = true};
}

}  // namespace

// X = logits, classes last;  target: an index for each row;  flop = (E + 5) |X|;
// gX: X, target; (E + 6) |X|, over X
ExactLayer cross_entropy(const LayerCall& call) {
  const Shape& in = call.input();
  const std::int64_t classes = call.value("classes");
  // POET's bert and transformer count the positions of a sequence as classes. Their files are of
  // version 1, which asks for any extent.
  const bool fits = call.version == 1 ? std::find(in.begin(), in.end(), classes) != in.end()
                                      : in.back() == classes;
  if (!fits) {
    throw InputError(fmt::format("the input's shape is {}, expected {} to be the {} classes",
                                 shape_text(in),
                                 call.version == 1 ? "one extent" : "the last extent", classes));
  }
  const std::int64_t rows = element_count(in) / in.back();
  if (call.inputs.size() > 1 && element_count(call.inputs[1]) != rows) {
    throw InputError(
        fmt::format("the target's shape is {}, expected an index for each of the {} rows",
                    shape_text(call.inputs[1]), rows));
  }
  const std::int64_t count = element_count(in);
  return loss(call, checked_product({kExpFlop + 5, count}), checked_product({kExpFlop + 6, count}));
}

// flop = 3 |X|;  gX: X, target; 2 |X|, over X
ExactLayer mse(const LayerCall& call) {
  const Shape& in = call.input();
  if (call.inputs.size() > 1 && call.inputs[1] != in) {
    throw InputError(fmt::format("the target's shape is {}, expected the input's {}",
                                 shape_text(call.inputs[1]), shape_text(in)));
  }
  const std::int64_t count = element_count(in);
  return loss(call, checked_product({3, count}), checked_product({2, count}));
}

}  // namespace poet::exact
