#pragma once

#include "model/op.hpp"

// One function per op; op_table.cpp gives them their names. Each is headed by its formulas, in
// which N is the batch, X the input's shape, Y the output's, and |X| the number of elements. The
// formulas are taken from POET's released layers, even if one would count differently today: every
// published figure rests on them, and a schedule depends on the ratios of costs more than on the
// costs.
namespace poet::ops {

LayerCosts conv2d(const LayerCall& call);
LayerCosts pool2d(const LayerCall& call);
LayerCosts global_avg_pool(const LayerCall& call);

LayerCosts batch_norm2d(const LayerCall& call);
LayerCosts elementwise(const LayerCall& call);
LayerCosts tanh(const LayerCall& call);
LayerCosts sigmoid(const LayerCall& call);
LayerCosts flatten(const LayerCall& call);
LayerCosts add(const LayerCall& call);

LayerCosts linear(const LayerCall& call);
LayerCosts linear_relu(const LayerCall& call);
LayerCosts cross_entropy_loss(const LayerCall& call);

LayerCosts attention_qkv(const LayerCall& call);
LayerCosts attention_scores(const LayerCall& call);
LayerCosts attention_context(const LayerCall& call);

}  // namespace poet::ops
