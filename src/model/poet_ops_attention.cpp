#include "model/ops.hpp"
#include "model/shape.hpp"

// S = sequence, H = hidden, I = head_dim
namespace poet::ops {

// Y = 3 S, I, heads;  params = 3 H I heads;  flop = 3 S H I heads
LayerCosts attention_qkv(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t hidden = call.value("hidden");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, hidden}, "sequence, hidden");
  const std::int64_t parameters = checked_product({3, hidden, head_dim, heads});
  return {{checked_product({3, sequence}), head_dim, heads},
          parameters,
          checked_product({parameters, sequence})};
}

// Y = S, S, heads;  flop = S I S heads + 2 |Y|, the mask and the dropout fused
LayerCosts attention_scores(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {checked_product({3, sequence}), head_dim, heads},
               "3 sequence, head_dim, heads");
  Shape shape = {sequence, sequence, heads};
  const std::int64_t flop = checked_sum({checked_product({sequence, head_dim, sequence, heads}),
                                         checked_product({2, element_count(shape)})});
  return {std::move(shape), 0, flop};
}

// Y = S, I heads;  flop = 2 S S I heads, the concatenation fused
LayerCosts attention_context(const LayerCall& call) {
  const std::int64_t sequence = call.value("sequence");
  const std::int64_t head_dim = call.value("head_dim");
  const std::int64_t heads = call.value("heads");
  expect_shape(call.input(), {sequence, sequence, heads}, "sequence, sequence, heads");
  return {{sequence, checked_product({head_dim, heads})},
          0,
          checked_product({2, sequence, sequence, head_dim, heads})};
}

}  // namespace poet::ops
