#pragma once

#include "model/exact/exact_layer.hpp"
#include "model/op.hpp"

// One function per op, in a file of its family; op_table.cpp gives them their names. Each is headed
// by its formulas, in which N is the batch, X the input, Y the output, |X| the number of elements,
// W the parameters and E the FLOPs of one exp. `gX: X, dY` says what the gradient of the input
// reads. The sources are the definitions of the ops themselves; docs/model-format.md has the table.
// The file alone decides: no function knows a platform, so that one graph serves all of them.
namespace poet::exact {

ExactLayer conv2d(const LayerCall& call);
ExactLayer conv1d(const LayerCall& call);
ExactLayer conv_transpose2d(const LayerCall& call);

ExactLayer max_pool2d(const LayerCall& call);
ExactLayer max_pool1d(const LayerCall& call);
ExactLayer avg_pool2d(const LayerCall& call);
ExactLayer avg_pool1d(const LayerCall& call);
ExactLayer adaptive_avg_pool2d(const LayerCall& call);
ExactLayer adaptive_avg_pool1d(const LayerCall& call);
ExactLayer global_avg_pool(const LayerCall& call);
ExactLayer mean(const LayerCall& call);
ExactLayer upsample2d(const LayerCall& call);

ExactLayer linear(const LayerCall& call);
ExactLayer linear_relu(const LayerCall& call);
ExactLayer matmul(const LayerCall& call);
ExactLayer embedding(const LayerCall& call);
ExactLayer parameter(const LayerCall& call);

ExactLayer batch_norm2d(const LayerCall& call);
ExactLayer batch_norm1d(const LayerCall& call);
ExactLayer layer_norm(const LayerCall& call);
ExactLayer group_norm(const LayerCall& call);

ExactLayer relu(const LayerCall& call);
ExactLayer sigmoid(const LayerCall& call);
ExactLayer hard_sigmoid(const LayerCall& call);
ExactLayer silu(const LayerCall& call);
ExactLayer prelu(const LayerCall& call);
ExactLayer elu(const LayerCall& call);
ExactLayer softplus(const LayerCall& call);
ExactLayer softmax(const LayerCall& call);
ExactLayer log_softmax(const LayerCall& call);
ExactLayer dropout(const LayerCall& call);

ExactLayer add(const LayerCall& call);
ExactLayer sub(const LayerCall& call);
ExactLayer mul(const LayerCall& call);
ExactLayer div(const LayerCall& call);

ExactLayer concat(const LayerCall& call);
ExactLayer split(const LayerCall& call);
ExactLayer slice(const LayerCall& call);
ExactLayer permute(const LayerCall& call);
ExactLayer flatten(const LayerCall& call);
ExactLayer reshape(const LayerCall& call);
ExactLayer identity(const LayerCall& call);

ExactLayer cross_entropy(const LayerCall& call);
ExactLayer mse(const LayerCall& call);

ExactLayer attention(const LayerCall& call);
ExactLayer attention_qkv(const LayerCall& call);
ExactLayer attention_scores(const LayerCall& call);
ExactLayer attention_context(const LayerCall& call);

ExactLayer lstm(const LayerCall& call);
ExactLayer gru(const LayerCall& call);
ExactLayer custom(const LayerCall& call);

}  // namespace poet::exact
